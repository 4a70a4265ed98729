//! One run of the planner: from a task to a result folder, with checkpoints on the way.

use super::watch::Watch;
use super::{RunArgs, Source};
use crate::draw::pictures;
use crate::interrupt;
use anyhow::{Context, Result, anyhow, ensure};
use saltus::opt::solve::optimize::{Event, Progress};
use saltus::opt::solve::report::Status;
use saltus::store::checkpoint::{Checkpoint, identity};
use saltus::store::{StoredPlan, model_text, probe};
use saltus::task::MAX_THREADS;
use std::path::PathBuf;

/// What is to be done.
#[derive(Debug)]
pub struct Job {
    pub source: Source,
    pub folder: PathBuf,
}

impl Job {
    pub fn new(mut source: Source, args: &RunArgs) -> Result<Self> {
        ensure!(args.threads <= MAX_THREADS, "--threads must be at most {MAX_THREADS}, not {}", args.threads);
        if args.threads > 0 {
            source.task.options.threads = args.threads;
        }
        let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&source.task.name));
        Ok(Self { source, folder })
    }

    /// Optimizes and writes the result.
    pub fn run(&self, args: &RunArgs) -> Result<StoredPlan> {
        let Source { task, text: task_text, spec, is_file } = &self.source;
        let mut setup = task.setup(spec).map_err(|e| if *is_file { e.into() } else { anyhow!(e.message) })?;
        probe(&self.folder)?;
        let mut checkpoint = Checkpoint::new(&self.folder, identity(&model_text(&setup.spec), task_text));
        let mut progress = if args.resume {
            let progress = checkpoint.load()?.with_context(|| {
                format!("there is nothing to resume: no checkpoint {}; leave --resume out", checkpoint.path().display())
            })?;
            ensure!(progress.q.len() == setup.guess.len(), "the checkpoint has another number of states");
            progress
        } else {
            Progress::new(setup.guess.clone(), &setup.options)
        };
        interrupt::listen();
        let mut watch = Watch::new(&task.name);
        let plan = setup.resume(&mut progress, &mut |event| {
            watch.show(&event);
            if let Event::Round(progress) = event
                && progress.status.is_none()
                && let Err(error) = checkpoint.save(progress)
            {
                watch.warn(&format!("no checkpoint could be written: {error}"));
            }
            !interrupt::is_asked()
        });
        watch.finish();
        let stored = StoredPlan::new(plan?, setup, task_text.clone());
        stored
            .save_with(&self.folder, pictures)
            .with_context(|| format!("the result could not be written; {}", self.hint(&checkpoint)))?;
        if stored.plan.status != Status::Stopped {
            checkpoint.remove();
        }
        Ok(stored)
    }

    fn hint(&self, checkpoint: &Checkpoint) -> String {
        if checkpoint.exists() {
            "run the same command with --resume when there is room".to_owned()
        } else {
            "choose another --out".to_owned()
        }
    }
}
