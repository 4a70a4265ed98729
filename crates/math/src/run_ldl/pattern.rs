//! Sparsity of the factors: rows from cliques of columns, completed with fill-in.

use super::{Row, Run, RunMatrix};

/// Where a row's pattern comes from: a clique whose largest column it is, or a row that was
/// eliminated before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    first_run: u32,
    nrun: u32,
    next: u32,
}
const END: u32 = u32::MAX;

impl RunMatrix {
    /// Starts the pattern of an n × n matrix: the diagonal only.
    pub fn begin(&mut self, n: usize) {
        self.rows.clear();
        self.rows.resize(n, Row::default());
        self.runs.clear();
        self.clique_runs.clear();
        self.sources.clear();
        self.first_source.clear();
        self.first_source.resize(n, END);
    }

    /// Adds all pairs of the columns in `runs` (ascending) to the pattern.
    ///
    /// Only the row of the largest column needs them: elimination hands them on to all others.
    pub fn add_clique(&mut self, runs: impl Iterator<Item = Run>) {
        let first = self.clique_runs.len();
        self.clique_runs.extend(runs);
        if let Some(last) = self.clique_runs[first..].last() {
            let (row, nrun) = (last.end as usize - 1, self.clique_runs.len() - first);
            self.add_source(row, first as u32, nrun as u32);
        }
    }

    fn add_source(&mut self, row: usize, first_run: u32, nrun: u32) {
        let next = self.first_source[row];
        self.first_source[row] = self.sources.len() as u32;
        self.sources.push(Source { first_run, nrun, next });
    }

    /// Completes the pattern with fill-in.
    pub fn finish(&mut self) {
        let n = self.rows.len();
        // Sources are cliques below this index, eliminated rows above.
        let ncliques = self.sources.len() as u32;
        let mut nvalue = 0;
        for i in (0..n).rev() {
            let first_run = self.runs.len();
            self.merge_sources(i, ncliques);
            let runs = &self.runs[first_run..];
            let count: usize = runs.iter().map(|r| r.len()).sum();
            self.rows[i] = Row {
                first_run: first_run as u32,
                nrun: runs.len() as u32,
                first_value: nvalue as u32,
                nvalue: count as u32,
            };
            nvalue += count;
            let last = runs[runs.len() - 1];
            let parent = if last.len() > 1 {
                Some(i - 1)
            } else if runs.len() > 1 {
                Some(runs[runs.len() - 2].end as usize - 1)
            } else {
                None
            };
            if let Some(p) = parent {
                self.add_source(p, first_run as u32, self.rows[i].nrun);
            }
        }
        self.value.clear();
        self.value.resize(nvalue, 0.0);
        self.d_inv.clear();
        self.d_inv.resize(n, 0.0);
    }

    /// Appends the union of the sources of row `i`, clipped at the diagonal, to `runs`.
    fn merge_sources(&mut self, i: usize, ncliques: u32) {
        let (diagonal, end) = (i as u32, i as u32 + 1);
        self.merge.clear();
        let mut s = self.first_source[i];
        while s != END {
            let source = self.sources[s as usize];
            let from = if s < ncliques { &self.clique_runs } else { &self.runs };
            for k in source.first_run..source.first_run + source.nrun {
                let run = from[k as usize];
                if run.start > diagonal {
                    break;
                }
                let run = Run { start: run.start, end: run.end.min(end) };
                // Insertion sort by start: few runs, mostly in order.
                let mut at = self.merge.len();
                while at > 0 && self.merge[at - 1].start > run.start {
                    at -= 1;
                }
                self.merge.insert(at, run);
            }
            s = source.next;
        }
        self.merge.push(Run { start: diagonal, end });
        let first = self.runs.len();
        for k in 0..self.merge.len() {
            let run = self.merge[k];
            match self.runs[first..].last_mut() {
                Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
                _ => self.runs.push(run),
            }
        }
    }
}
