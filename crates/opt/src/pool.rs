//! Steps of a trajectory on several threads: each is evaluated by one thread and depends on nothing but its own input, so
//! that results are the same bits at any number of threads.

use rayon::ThreadPool;
use std::sync::{Mutex, PoisonError};

/// The thread that calls and others, each with memory of its own. The one that calls takes part: handing all work over would
/// cost two changes of threads each time, a seventh of an iteration of a quadruped.
#[derive(Debug)]
pub struct Pool<M> {
    others: Option<ThreadPool>,
    memory: Vec<Mutex<M>>,
}

/// The threads could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the threads could not be started: {0}")]
pub struct PoolError(String);

impl<M: Send> Pool<M> {
    /// `threads` threads; 0: as many as there are processors.
    pub fn new(threads: usize, memory: impl Fn() -> M) -> Result<Self, PoolError> {
        let processors = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let threads = if threads == 0 { processors() } else { threads };
        let start = |count| rayon::ThreadPoolBuilder::new().num_threads(count).build();
        let others = (threads > 1).then(|| start(threads - 1)).transpose();
        let others = others.map_err(|error| PoolError(error.to_string()))?;
        Ok(Self { others, memory: (0..threads).map(|_| Mutex::new(memory())).collect() })
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
        let work = |memory: &Mutex<M>| {
            let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(job) = job else { return };
                run(job, &mut memory);
            }
        };
        let (Some(others), [own, rest @ ..]) = (&self.others, &self.memory[..]) else {
            return self.memory.iter().take(1).for_each(work);
        };
        others.in_place_scope(|scope| {
            rest.iter().for_each(|memory| scope.spawn(|_| work(memory)));
            work(own);
        });
    }

    /// Runs two pieces of work, at once if there are threads for it.
    pub fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        match &self.others {
            None => {
                a();
                b();
            }
            Some(others) => others.in_place_scope(|scope| {
                scope.spawn(|_| b());
                a();
            }),
        }
    }
}
