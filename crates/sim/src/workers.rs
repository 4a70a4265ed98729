//! Threads that keep their working memory, and the shapes of what they work on.
//!
//! Each job is done by one thread and depends on nothing but its own inputs: results are the same
//! bits at any number of threads.

use crate::data::Data;
use crate::model::Model;
use std::sync::{Mutex, PoisonError};

/// Threads, each with one [`Data`] and the working memory `W` of its callers, for repeated calls.
#[derive(Debug)]
pub struct Workers<W = ()> {
    pool: rayon::ThreadPool,
    /// One per thread.
    memory: Vec<Mutex<Memory<W>>>,
}

/// What a thread keeps between jobs.
#[derive(Debug)]
pub(crate) struct Memory<W> {
    data: Option<Box<Data>>,
    own: W,
}

/// Why there are no threads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the threads could not be started: {0}")]
pub struct ThreadsError(String);

impl<W: Default + Send> Workers<W> {
    /// `threads` threads; 0: as many as there are processors.
    pub fn new(threads: usize) -> Result<Self, ThreadsError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| ThreadsError(error.to_string()))?;
        let memory = || Mutex::new(Memory { data: None, own: W::default() });
        let memory = (0..pool.current_num_threads()).map(|_| memory()).collect();
        Ok(Self { pool, memory })
    }

    /// Does each of the jobs on one of the threads, with its memory.
    pub(crate) fn each<J: Send>(&self, jobs: impl Iterator<Item = J> + Send, run: impl Fn(J, &mut Memory<W>) + Sync) {
        let jobs = Mutex::new(jobs);
        self.pool.broadcast(|context| {
            let mut memory = self.memory[context.index()].lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(job) = job else { return };
                run(job, &mut memory);
            }
        });
    }
}

impl<W> Memory<W> {
    /// Data of a model in its initial state, and the caller's memory.
    pub fn reset(&mut self, model: &Model) -> (&mut Data, &mut W) {
        let kept = self.data.take().filter(|data| data.fits(model));
        let data = self.data.insert(kept.unwrap_or_else(|| Box::new(Data::new(model))));
        data.reset(model);
        (data, &mut self.own)
    }
}

/// An array of another size than is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} has {found} values, expected {expected} ({shape})")]
pub struct ShapeError {
    pub what: &'static str,
    pub found: usize,
    pub expected: usize,
    /// The sizes whose product is expected.
    pub shape: String,
}

/// The product of sizes; the largest number where there is none.
pub(crate) fn product(dims: &[usize]) -> usize {
    dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).unwrap_or(usize::MAX)
}

/// An error unless the size is `allowed` or that of `dims`.
pub(crate) fn require(what: &'static str, found: usize, dims: &[usize], allowed: bool) -> Result<(), ShapeError> {
    let expected = product(dims);
    if allowed || found == expected {
        return Ok(());
    }
    let shape = dims.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
    Err(ShapeError { what, found, expected, shape })
}

/// The only row, or row `k`.
pub(crate) fn row(values: &[f64], width: usize, k: usize) -> &[f64] {
    if values.len() == width { values } else { &values[k * width..(k + 1) * width] }
}
