//! One run of the planner, from a task to a result folder, with checkpoints in between.

use super::watch::Watch;
use super::{RunArgs, Source};
use crate::draw::pictures;
use crate::files::write_file;
use crate::interrupt;
use crate::output::note;
use anyhow::{Context, Result, bail, ensure};
use saltus::opt::solve::optimize::{Event, Progress};
use saltus::opt::solve::report::Status;
use saltus::opt::task::MAX_THREADS;
use saltus::store::checkpoint::{Checkpoint, identity};
use saltus::store::{StoredPlan, model_text, other_task, probe, task_text};
use std::path::PathBuf;

/// Names of files with their contents.
type Pictures = Vec<(String, Vec<u8>)>;

/// A task, its result folder and the number of threads.
#[derive(Debug)]
pub struct Job {
    pub source: Source,
    pub folder: PathBuf,
    /// Number of threads. Overrides that of the task.
    threads: Option<usize>,
}

impl Job {
    pub fn new(source: Source, args: &RunArgs) -> Result<Self> {
        ensure!(args.threads <= MAX_THREADS, "--threads must be at most {MAX_THREADS}, not {}", args.threads);
        let threads = (args.threads > 0).then_some(args.threads);
        let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&source.task.name));
        Ok(Self { source, folder, threads })
    }

    /// Optimizes the motion and writes the result folder.
    pub fn run(&self, args: &RunArgs) -> Result<StoredPlan> {
        let Source { task, spec, .. } = &self.source;
        let mut watch = Watch::new(&task.name);
        watch.set_up(spec);
        let planning = task.problem(spec);
        let mut planning = planning.map_err(|e| self.source.error(e)).inspect_err(|_| watch.finish())?;
        planning.options.threads = self.threads.unwrap_or(planning.options.threads);
        probe(&self.folder)?;
        let (model_text, task_text) = (model_text(&planning.spec), task_text(task));
        if let Some(difference) = other_task(&self.folder, &model_text, &task_text).filter(|_| !args.force) {
            let folder = self.folder.display();
            bail!(
                "{folder} has the result of another task ({difference}); choose another folder with --out, or replace \
                 it with --force"
            );
        }
        let mut checkpoint = Checkpoint::new(&self.folder, identity(&model_text, &task_text));
        let mut progress = if args.resume {
            let progress = checkpoint.load()?.with_context(|| {
                format!(
                    "there is nothing to resume: no checkpoint {}; start without --resume",
                    checkpoint.path().display()
                )
            })?;
            ensure!(
                progress.q.len() == planning.guess.len(),
                "the checkpoint does not match the task: its number of states differs"
            );
            progress
        } else {
            Progress::new(planning.guess.clone(), &planning.options)
        };
        interrupt::listen();
        watch.begin(&planning);
        let plan = planning.resume(&mut progress, &mut |event| {
            watch.show(&event);
            if let Event::Round(progress) = event
                && progress.status.is_none()
                && let Err(error) = checkpoint.save(progress)
            {
                watch.warn(&format!("cannot write a checkpoint: {error}"));
            }
            !interrupt::is_asked()
        });
        watch.finish();
        let stored = StoredPlan::new(plan?, planning, task);
        self.keep(&stored, pictures).with_context(|| format!("cannot write the result; {}", self.hint(&checkpoint)))?;
        if stored.plan.status != Status::Stopped {
            checkpoint.remove();
        }
        Ok(stored)
    }

    /// Writes the result, then adds its pictures. If they fail the result is kept.
    fn keep(&self, stored: &StoredPlan, pictures: impl Fn(&StoredPlan) -> Result<Pictures>) -> Result<()> {
        stored.save(&self.folder)?;
        let add =
            |all: Pictures| all.iter().try_for_each(|(name, data)| Ok(write_file(&self.folder.join(name), data)?));
        if let Err(error) = pictures(stored).and_then(add) {
            note!("warning: the result is complete, but its pictures could not be drawn: {error:#}");
        }
        Ok(())
    }

    fn hint(&self, checkpoint: &Checkpoint) -> String {
        if checkpoint.exists() {
            "free some disk space and run the same command with --resume".to_owned()
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
    fn a_result_without_its_pictures_is_kept() {
        let out = std::env::temp_dir().join(format!("saltus-pictures-{}", std::process::id()));
        let args =
            RunArgs { out: Some(out.clone()), resume: false, force: true, threads: 1, iterations: Some(3), json: true };
        let job = Job::new(Source::named(Path::new("spin"), args.iterations).unwrap(), &args).unwrap();
        let stored = job.run(&args).unwrap();
        assert!(out.join("film.svg").exists());
        job.keep(&stored, |_| anyhow::bail!("no ink")).unwrap();
        assert!(!out.join("film.svg").exists() && StoredPlan::load(&out).unwrap().plan.motion == stored.plan.motion);
        // A picture that cannot be written is no loss either.
        job.keep(&stored, |_| Ok(vec![("no/such/folder.svg".to_owned(), Vec::new())])).unwrap();
        std::fs::remove_dir_all(&out).unwrap();
    }

    #[test]
    fn a_run_compiles_the_model_and_its_planning_twin_once() {
        let out = std::env::temp_dir().join(format!("saltus-compiles-{}", std::process::id()));
        let args =
            RunArgs { out: Some(out.clone()), resume: false, force: true, threads: 1, iterations: Some(3), json: true };
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
