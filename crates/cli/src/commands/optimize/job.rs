//! One run of the planner: from a task to a result folder, with checkpoints on the way.

use super::watch::Watch;
use super::{RunArgs, Source};
use crate::draw::pictures;
use crate::interrupt;
use anyhow::{Context, Result, ensure};
use saltus::opt::solve::optimize::{Event, Progress};
use saltus::opt::solve::report::Status;
use saltus::opt::task::MAX_THREADS;
use saltus::store::checkpoint::{Checkpoint, identity};
use saltus::store::{StoredPlan, model_text, probe, task_text};
use std::path::PathBuf;

/// What is to be done.
#[derive(Debug)]
pub struct Job {
    pub source: Source,
    pub folder: PathBuf,
    /// Number of threads, if not that of the task.
    threads: Option<usize>,
}

impl Job {
    pub fn new(source: Source, args: &RunArgs) -> Result<Self> {
        ensure!(args.threads <= MAX_THREADS, "--threads must be at most {MAX_THREADS}, not {}", args.threads);
        let threads = (args.threads > 0).then_some(args.threads);
        let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&source.task.name));
        Ok(Self { source, folder, threads })
    }

    /// Optimizes and writes the result.
    pub fn run(&self, args: &RunArgs) -> Result<StoredPlan> {
        let Source { task, spec, .. } = &self.source;
        let mut planning = task.problem(spec).map_err(|e| self.source.error(e))?;
        planning.options.threads = self.threads.unwrap_or(planning.options.threads);
        probe(&self.folder)?;
        let mut checkpoint = Checkpoint::new(&self.folder, identity(&model_text(&planning.spec), &task_text(task)));
        let mut progress = if args.resume {
            let progress = checkpoint.load()?.with_context(|| {
                format!("there is nothing to resume: no checkpoint {}; leave --resume out", checkpoint.path().display())
            })?;
            ensure!(progress.q.len() == planning.guess.len(), "the checkpoint has another number of states");
            progress
        } else {
            Progress::new(planning.guess.clone(), &planning.options)
        };
        interrupt::listen();
        let mut watch = Watch::new(&task.name);
        let plan = planning.resume(&mut progress, &mut |event| {
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
        let stored = StoredPlan::new(plan?, planning, task);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::replay::Replays;
    use saltus::sim::compiler::compiled_models;
    use std::path::Path;

    #[test]
    fn a_run_compiles_the_model_and_its_planning_twin_once() {
        let out = std::env::temp_dir().join(format!("saltus-compiles-{}", std::process::id()));
        let args = RunArgs { out: Some(out.clone()), resume: false, threads: 1, iterations: Some(3), json: true };
        for name in ["spin", "hop", "walk"] {
            let before = compiled_models();
            let job = Job::new(Source::named(Path::new(name), args.iterations).unwrap(), &args).unwrap();
            let stored = job.run(&args).unwrap();
            Replays::own(&stored, &job.folder).unwrap();
            assert_eq!(compiled_models() - before, 2, "{name}");
        }
        std::fs::remove_dir_all(&out).unwrap();
    }
}
