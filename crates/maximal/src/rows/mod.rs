//! Rows of the step: J V⁺ + R f = c with bounds on f, one file per kind.
//!
//! Rows come in the order joints, springs and dampers, equalities and attachments | dry friction,
//! limits, normals, friction. Those before the bar are bilateral. A row has two right-hand sides
//! (*lanes*): without and with the correction of position errors; without split impulses only the
//! second is used.

mod attachment;
mod contact;
mod equality;
mod joint;
mod limit;
mod soft;

pub use attachment::push_attachments;
pub use contact::push_contacts;
pub use equality::push_equalities;
pub use joint::push_joints;
pub use limit::{push_dry_friction, push_limits};
pub use soft::{Softness, push_soft};

use crate::four::Quad;
use crate::joint::Frame;
use crate::links::Links;
use crate::six::Six;
use crate::state::Bodies;
use core::ops::Range;
use saltus_math::Motion;

/// Number of right-hand sides.
pub const LANES: usize = 2;

/// Impulses of each lane by quads of rows.
pub type Impulses = [Vec<Quad>; LANES];
/// The lane whose velocity is kept, and the one that moves positions.
pub const VELOCITY: usize = 0;
pub const POSITION: usize = 1;

/// What a row constrains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Row of the joints of a link.
    Joint {
        link: u32,
    },
    /// Spring, damper and rotor of a dof.
    Soft {
        dof: u32,
    },
    /// Row of an equality.
    Equality {
        id: u32,
    },
    /// Row of a joint that was made while running.
    Attachment {
        id: u32,
    },
    DryFriction {
        dof: u32,
    },
    /// Limit of a joint; lower first.
    Limit {
        joint: u32,
        upper: bool,
    },
    Normal {
        contact: u32,
    },
    /// Direction of friction, from 0.
    Friction {
        contact: u32,
        direction: u8,
    },
}

impl Kind {
    /// The contact of a friction row.
    pub fn friction_of(self) -> Option<u32> {
        if let Kind::Friction { contact, .. } = self { Some(contact) } else { None }
    }
}

/// What bounds the impulse of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    None,
    /// f ≥ 0.
    OneSided,
    /// |f| ≤ a constant.
    Constant(f64),
    /// |f| ≤ μ times the impulse of the row `normal`.
    Friction {
        mu: f64,
        normal: u32,
    },
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub kind: Kind,
    pub bound: Bound,
    /// Blocks of J in `Rows::jacobian`, of the response W Jᵀ in `Rows::response`.
    pub first: u32,
    pub count: u32,
    pub response_first: u32,
    pub response_count: u32,
    /// R.
    pub compliance: f64,
    /// 1 / (J W Jᵀ + R); 0 where nothing can move the row.
    pub inv_diag: f64,
    /// c of each lane.
    pub target: [f64; LANES],
    /// f of each lane, N·s.
    pub force: [f64; LANES],
    /// f of the last step.
    pub last: [f64; LANES],
}

/// Part of a row on one link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block {
    pub value: Six,
    pub link: u32,
}

/// All rows of a step; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub rows: Vec<Row>,
    pub jacobian: Vec<Block>,
    pub response: Vec<Block>,
    /// Ends of the groups of rows.
    pub end_joints: usize,
    pub end_soft: usize,
    pub end_bilateral: usize,
    /// First friction row of contacts.
    pub end_normals: usize,
}

impl Rows {
    pub fn clear(&mut self) {
        self.rows.clear();
        self.jacobian.clear();
        self.response.clear();
    }
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    pub fn blocks(&self, i: usize) -> &[Block] {
        let row = &self.rows[i];
        &self.jacobian[row.first as usize..(row.first + row.count) as usize]
    }
    pub fn responses(&self, i: usize) -> &[Block] {
        let row = &self.rows[i];
        &self.response[row.response_first as usize..(row.response_first + row.response_count) as usize]
    }
    /// Rows without bound.
    pub fn bilateral(&self) -> Range<usize> {
        0..self.end_bilateral
    }
    /// J V of a row.
    #[inline]
    pub fn velocity(&self, i: usize, V: &[Six]) -> f64 {
        self.blocks(i).iter().map(|b| b.value.dot(&V[b.link as usize])).sum()
    }

    /// V += K Jᵀ f of the rows from `first` on.
    pub fn add_responses(&self, first: usize, lane: usize, V: &mut [Six]) {
        for i in first..self.len() {
            let f = self.rows[i].force[lane];
            for block in self.responses(i) {
                V[block.link as usize].add_scaled(f, &block.value);
            }
        }
    }

    /// p += Jᵀ f of the rows from `first` on.
    pub fn add_impulses(&self, first: usize, lane: usize, p: &mut [Six]) {
        for (i, row) in self.rows.iter().enumerate().skip(first).filter(|(_, row)| row.force[lane] != 0.0) {
            for block in self.blocks(i) {
                p[block.link as usize].add_scaled(row.force[lane], &block.value);
            }
        }
    }

    /// A row whose blocks are those pushed to `jacobian` since `first`.
    pub fn push(&mut self, first: usize, kind: Kind, bound: Bound, compliance: f64, target: [f64; LANES]) {
        self.rows.push(Row {
            kind,
            bound,
            first: first as u32,
            count: (self.jacobian.len() - first) as u32,
            response_first: 0,
            response_count: 0,
            compliance,
            inv_diag: 0.0,
            target,
            force: [0.0; LANES],
            last: [0.0; LANES],
        });
    }

    /// The blocks of a motion `w` at the joints of a link, times `scale`: w · (velocity of the link
    /// − that of its parent).
    pub fn push_relative(&mut self, links: &Links, bodies: &Bodies, frame: &Frame, link: usize, w: Motion, scale: f64) {
        for (l, sign) in [(link, scale), (links.parent[link], -scale)] {
            if l != 0 {
                let moment = w.ang + (frame.origin - bodies.x[l]).cross(w.lin);
                self.jacobian.push(Block { value: Six::new(moment * sign, w.lin * sign), link: l as u32 });
            }
        }
    }
}

/// What rows are made from.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub links: &'a Links,
    pub bodies: &'a Bodies,
    pub frames: &'a [Frame],
    /// ERP / h, 1/s.
    pub correction: f64,
    /// CFM / h, 1/kg.
    pub mixing: f64,
    pub h: f64,
    /// Whether errors are corrected in the position lane only.
    pub split: bool,
}

impl At<'_> {
    /// Right-hand sides for a velocity that is wanted anyway and one that corrects an error.
    pub fn targets(&self, velocity: f64, correction: f64) -> [f64; LANES] {
        [if self.split { velocity } else { velocity + correction }, velocity + correction]
    }
}
