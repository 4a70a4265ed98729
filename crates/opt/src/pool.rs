//! Steps of a trajectory on several threads: each is evaluated by one thread and depends on nothing but its own input, so
//! that results are the same bits at any number of threads.

use rayon::ThreadPool;
use std::sync::{Mutex, PoisonError};

/// Threads, each with memory of its own.
#[derive(Debug)]
pub struct Pool<M> {
    threads: ThreadPool,
    memory: Vec<Mutex<M>>,
}

/// The threads could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the threads could not be started: {0}")]
pub struct PoolError(String);

impl<M: Send> Pool<M> {
    /// `threads` threads; 0: as many as there are processors.
    pub fn new(threads: usize, memory: impl Fn() -> M) -> Result<Self, PoolError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let threads = pool.build().map_err(|error| PoolError(error.to_string()))?;
        let memory = (0..threads.current_num_threads()).map(|_| Mutex::new(memory())).collect();
        Ok(Self { threads, memory })
    }

    pub fn len(&self) -> usize {
        self.memory.len()
    }
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty()
    }

    /// Does each of the jobs.
    pub fn each<J: Send>(&self, jobs: impl Iterator<Item = J> + Send, run: impl Fn(J, &mut M) + Sync) {
        let jobs = Mutex::new(jobs);
        self.threads.broadcast(|context| {
            let mut memory = self.memory[context.index()].lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(job) = job else { return };
                run(job, &mut memory);
            }
        });
    }

    /// Runs two pieces of work, at once if there are threads for it.
    pub fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        if self.len() < 2 {
            a();
            b();
        } else {
            self.threads.join(a, b);
        }
    }
}
