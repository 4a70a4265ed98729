//! Attachments: joints that are made and removed during a simulation, e.g. for grasping an object
//! or screwing on a hose.
//!
//! An attachment constrains two frames, one fixed in each body, that coincide when it is made.
//! Their z axes are the joint axis.

use crate::Error;
use crate::state::Bodies;
use saltus_math::{Quat, Vec3, real};

/// Kind of an attachment. Points and axes are in the world, at the time when it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttachmentKind {
    /// Fixed: the bodies move as one.
    Fixed,
    /// Ball joint: rotation about a point.
    Ball { anchor: Vec3 },
    /// Hinge: rotation about an axis.
    Hinge { anchor: Vec3, axis: Vec3 },
    /// Slide: translation along a direction.
    Slide { axis: Vec3 },
    /// Screw: rotation about an axis coupled to translation along it: the second body advances by
    /// `pitch` metres per turn.
    Screw { anchor: Vec3, axis: Vec3, pitch: f64 },
}

/// Handle of an attachment in one simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttachmentId(pub u32);

/// A frame fixed in a link: relative to its centre of mass, in the axes of its main body.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    link: usize,
    p: Vec3,
    quat: Quat,
}

/// An attachment in its links.
#[derive(Clone, Copy, Debug)]
pub struct Attached {
    pub kind: AttachmentKind,
    frames: [Fixed; 2],
    /// Angle of the second frame about z relative to the first, over whole turns.
    angle: f64,
}

/// The frames of an attachment in the world.
#[derive(Clone, Copy, Debug)]
pub struct Present {
    pub links: [usize; 2],
    pub p: [Vec3; 2],
    pub quat: [Quat; 2],
    /// z of the first frame.
    pub axis: Vec3,
    pub angle: f64,
}

impl Attached {
    /// Attaches two links as they are.
    pub fn new(bodies: &Bodies, pair: [usize; 2], kind: AttachmentKind) -> Result<Self, Error> {
        let (anchor, axis) = match kind {
            AttachmentKind::Fixed => (bodies.x[pair[0].max(pair[1])], Vec3::Z),
            AttachmentKind::Ball { anchor } => (anchor, Vec3::Z),
            AttachmentKind::Slide { axis } => (bodies.x[pair[0].max(pair[1])], axis),
            AttachmentKind::Hinge { anchor, axis } | AttachmentKind::Screw { anchor, axis, .. } => (anchor, axis),
        };
        let refuse = |reason| Err(Error::Attachment { reason });
        if pair[0] == pair[1] {
            return refuse("both bodies are one link, or neither can move");
        }
        if !anchor.is_finite() || !axis.is_finite() {
            return refuse("anchor and axis must be finite");
        }
        if axis.length() < 1e-9 {
            return refuse("the axis has no length");
        }
        if matches!(kind, AttachmentKind::Screw { pitch, .. } if !pitch.is_finite()) {
            return refuse("the pitch must be finite");
        }
        let quat = turn_to(axis.normalize());
        let frame = |link: usize| match link {
            0 => Fixed { link, p: anchor, quat },
            _ => {
                let back = bodies.quat[link].conj();
                Fixed { link, p: back.rotate(anchor - bodies.x[link]), quat: back * quat }
            }
        };
        Ok(Self { kind, frames: pair.map(frame), angle: 0.0 })
    }

    /// Where its frames are.
    pub fn present(&self, bodies: &Bodies) -> Present {
        let at = |f: &Fixed| match f.link {
            0 => (f.p, f.quat),
            l => (bodies.x[l] + bodies.quat[l].rotate(f.p), bodies.quat[l] * f.quat),
        };
        let [a, b] = [at(&self.frames[0]), at(&self.frames[1])];
        let turn = a.1.conj() * b.1;
        let angle = 2.0 * real::atan2(turn.z, turn.w);
        let turns = ((self.angle - angle) / (2.0 * real::PI)).round();
        Present {
            links: [self.frames[0].link, self.frames[1].link],
            p: [a.0, b.0],
            quat: [a.1, b.1],
            axis: a.1.rotate(Vec3::Z),
            angle: angle + 2.0 * real::PI * turns,
        }
    }

    /// Keeps the angle, from which the next one is continued.
    pub fn follow(&mut self, bodies: &Bodies) {
        self.angle = self.present(bodies).angle;
    }
}

/// An orientation whose z is a unit vector.
fn turn_to(axis: Vec3) -> Quat {
    let cross = Vec3::Z.cross(axis);
    let (sine, cosine) = (cross.length(), axis.z);
    match sine > 1e-12 {
        true => Quat::from_axis_angle(cross / sine, real::atan2(sine, cosine)),
        false if cosine < 0.0 => Quat::from_axis_angle(Vec3::X, real::PI),
        false => Quat::IDENTITY,
    }
}
