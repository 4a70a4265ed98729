//! One run of the planner: from a task to a result folder, with checkpoints on the way.

use super::RunArgs;
use super::watch::Watch;
use crate::interrupt;
use crate::result::checkpoint::{Checkpoint, identity};
use crate::result::{self, Contents, Staging};
use crate::task::Task;
use anyhow::{Context, Result, ensure};
use saltus::opt::optimize::{Event, Progress};
use saltus::opt::plan::{Plan, Status};
use saltus::{Model, ModelSpec};
use std::path::PathBuf;

const MAX_THREADS: usize = 1024;

/// What is to be done.
#[derive(Debug)]
pub struct Job {
    pub task: Task,
    pub folder: PathBuf,
    spec: ModelSpec,
}

impl Job {
    pub fn new(spec: ModelSpec, mut task: Task, args: &RunArgs) -> Result<Self> {
        if let Some(iterations) = args.iterations {
            task.optimize.iterations = iterations;
        }
        task.check()?;
        ensure!(args.threads <= MAX_THREADS, "--threads must be at most {MAX_THREADS}, not {}", args.threads);
        let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&task.name));
        Ok(Self { task, folder, spec })
    }

    /// Optimizes and writes the result.
    pub fn run(&self, args: &RunArgs) -> Result<Plan> {
        let mut setup = self.task.build(&self.spec, args.threads)?;
        Staging::probe(&self.folder)?;
        let (model_text, task_text) = (result::self_contained(&self.spec), self.task.text()?);
        let mut checkpoint = Checkpoint::new(&self.folder, identity(&model_text, &task_text));
        let mut progress = if args.resume {
            let progress = checkpoint.load()?;
            ensure!(progress.q.len() == setup.guess.len(), "the checkpoint has another number of states");
            progress
        } else {
            Progress::new(setup.guess.clone(), &setup.options)
        };
        interrupt::listen();
        let mut watch = Watch::new(&self.task.name);
        let plan = setup.resume(&mut progress, &mut |event| {
            watch.show(&event);
            if let Event::Round(progress) = event
                && progress.status.is_none()
                && let Err(error) = checkpoint.save(progress)
            {
                watch.warn(&format!("no checkpoint could be written: {error:#}"));
            }
            !interrupt::is_asked()
        });
        watch.finish();
        let plan = plan?;
        let contents = Contents { plan: &plan, model: &setup.own, model_text: &model_text, task_text: &task_text };
        result::write(&self.folder, &contents)
            .with_context(|| format!("the result could not be written; {}", self.hint(&checkpoint)))?;
        if plan.status != Status::Stopped {
            checkpoint.remove();
        }
        Ok(plan)
    }

    /// The model with its own shapes.
    pub fn model(&self) -> Result<Model> {
        Ok(saltus::compile(&self.spec)?)
    }

    fn hint(&self, checkpoint: &Checkpoint) -> String {
        if checkpoint.path.exists() {
            "run the same command with --resume when there is room".to_owned()
        } else {
            "choose another --out".to_owned()
        }
    }
}
