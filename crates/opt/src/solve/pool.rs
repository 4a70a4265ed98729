//! Steps of a trajectory on several threads: each is evaluated by one thread and depends on nothing
//! but its own input, so that results are the same bits at any number of threads.
//!
//! An iteration is a dozen pieces of work of 0.1 ms to some ms each, between which numbers go from
//! processor to processor. Three rules keep that cheap; without them two threads were slower than
//! one for a quadruped.
//! - Each thread begins with the same part of the steps every time, so that what it wrote is in its
//!   own cache.
//! - Each thread makes its memory and its results itself: small arrays of two threads, or of a
//!   thread and the model, in one line of the cache are fetched anew at every write. With results
//!   of the caller's between the model's tables steps took 15 % longer.
//! - Who waits looks again and again for a while before going to sleep: to be woken up takes longer
//!   than the work.

use rayon::ThreadPool;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// For how long who waits looks for work before going to sleep.
const AWAKE: Duration = Duration::from_micros(300);

/// A thread that has done its own part helps others while they have more than this part of theirs
/// left: to bring the results of one step of a humanoid from one processor to another takes longer
/// than to make them.
const BEHIND: usize = 4;

/// The thread that calls and others, each with memory of its own. The one that calls takes part.
#[derive(Debug)]
pub struct Pool<M> {
    others: Option<ThreadPool>,
    memory: Vec<Apart<Mutex<M>>>,
    /// Pieces of work so far.
    calls: Arc<AtomicUsize>,
}

/// Alone in its lines of the cache.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

/// The threads could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the threads could not be started: {0}")]
pub struct PoolError(String);

impl<M: Send> Pool<M> {
    /// `threads` threads; 0: as many as there are processors.
    pub fn new(threads: usize, memory: impl Fn() -> M + Sync) -> Result<Self, PoolError> {
        let processors = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let threads = if threads == 0 { processors() } else { threads };
        let start = |count| rayon::ThreadPoolBuilder::new().num_threads(count).build();
        let others = (threads > 1).then(|| start(threads - 1)).transpose();
        let others = others.map_err(|error| PoolError(error.to_string()))?;
        let memory = make_by_each(others.as_ref(), |_| memory())?;
        Ok(Self { others, memory: memory.into_iter().map(|m| Apart(Mutex::new(m))).collect(), calls: Arc::default() })
    }

    /// `count` results of jobs, each made by the thread whose part it is in [`each`](Self::each).
    pub fn make<J: Send>(&self, count: usize, make: impl Fn() -> J + Sync) -> Result<Vec<J>, PoolError> {
        let share = self.share(count);
        let part = |thread: usize| (thread * share..count.min((thread + 1) * share)).map(|_| make()).collect();
        let parts: Vec<Vec<J>> = make_by_each(self.others.as_ref(), part)?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Jobs in the part of one thread.
    fn share(&self, jobs: usize) -> usize {
        jobs.div_ceil(self.len()).max(1)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.memory.len()
    }

    /// Does each of the jobs, which get their numbers.
    pub fn each<J: Send>(&self, jobs: &mut [J], run: impl Fn(usize, &mut J, &mut M) + Sync) {
        let share = self.share(jobs.len());
        let parts: Vec<_> = jobs.chunks_mut(share).map(|part| Apart(Mutex::new(part.iter_mut().enumerate()))).collect();
        self.all(|thread| {
            let mut memory = self.memory[thread].0.lock().unwrap_or_else(PoisonError::into_inner);
            // The own part first, then those of others who have fallen behind.
            for p in (0..parts.len()).map(|k| (thread + k) % parts.len()) {
                let least = if p == thread { 0 } else { share / BEHIND };
                loop {
                    let mut left = parts[p].0.lock().unwrap_or_else(PoisonError::into_inner);
                    let Some((k, job)) = (if left.len() > least { left.next() } else { None }) else { break };
                    drop(left);
                    run(p * share + k, job, &mut memory);
                }
            }
        });
    }

    /// Runs two pieces of work, at once if there are threads for it: the first by the thread that
    /// has the first steps, the second by the one that has the last.
    pub fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        if self.others.is_none() {
            a();
            return b();
        }
        let (a, b) = (Mutex::new(a), Mutex::new(b));
        self.all(|thread| match thread {
            0 => a.lock().unwrap_or_else(PoisonError::into_inner)(),
            last if last + 1 == self.len() => b.lock().unwrap_or_else(PoisonError::into_inner)(),
            _ => {}
        });
    }

    /// Runs `work` on every thread, which gets its number: 0 is the one that calls.
    fn all(&self, work: impl Fn(usize) + Sync) {
        let Some(others) = &self.others else { return work(0) };
        let call = 1 + self.calls.fetch_add(1, Ordering::Relaxed);
        let done = AtomicUsize::new(0);
        others.in_place_scope(|scope| {
            scope.spawn_broadcast(|_, worker| {
                work(1 + worker.index());
                done.fetch_add(1, Ordering::Release);
            });
            if call == 1 {
                grow(|| work(0));
            } else {
                work(0);
            }
            wait(|| done.load(Ordering::Acquire) + 1 == self.len());
        });
        let calls = self.calls.clone();
        others.spawn_broadcast(move |_| wait(|| calls.load(Ordering::Relaxed) != call));
    }
}

/// What the threads make, by their numbers. For the caller another thread makes it: the caller's
/// own would be between the tables of the model.
fn make_by_each<T: Send>(others: Option<&ThreadPool>, make: impl Fn(usize) -> T + Sync) -> Result<Vec<T>, PoolError> {
    let Some(others) = others else { return Ok(vec![make(0)]) };
    let own = std::thread::scope(|scope| scope.spawn(|| make(0)).join());
    let own = own.map_err(|_| PoolError("their memory could not be made".into()))?;
    Ok(core::iter::once(own).chain(others.broadcast(|worker| make(1 + worker.index()))).collect())
}

/// The first work of the caller, in which its memory grows to the size that it has from then on:
/// done by another thread, too.
fn grow(work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        if std::thread::Builder::new().spawn_scoped(scope, &work).is_err() {
            work();
        }
    });
}

/// Waits until it is so, not for longer than [`AWAKE`].
fn wait(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() && start.elapsed() < AWAKE {
        core::hint::spin_loop();
    }
}
