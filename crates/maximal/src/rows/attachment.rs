//! Rows of attachments. With the frames' distance r = p₂ − p₁ and the rotation e from the first to
//! the second, held directions d of the first: d · (velocity of the second − that of the first at
//! p₂) corrects d · r, d · (ω₂ − ω₁) corrects d · e. A screw of pitch s: (1) z · v_rel − s/2π z ·
//! ω_rel = 0 corrects z · r − s/2π θ.

use super::{At, Block, Bound, Kind, Rows};
use crate::attachment::{Attached, AttachmentKind, Present};
use crate::six::Six;
use saltus_math::{Vec3, real};

const WORLD: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];

pub fn push_attachments(at: &At<'_>, attachments: &[Option<Attached>], rows: &mut Rows) {
    for (id, attached) in attachments.iter().enumerate() {
        let Some(attached) = attached else { continue };
        let x = attached.present(at.bodies);
        let side = |v: Vec3| x.quat[0].rotate(v);
        let across = [side(Vec3::X), side(Vec3::Y)];
        let mut maker = Maker { at, kind: Kind::Attachment { id: id as u32 }, x: &x, rows };
        match attached.kind {
            AttachmentKind::Fixed => WORLD.iter().for_each(|d| maker.both(*d)),
            AttachmentKind::Ball { .. } => WORLD.iter().for_each(|d| maker.along(*d)),
            AttachmentKind::Hinge { .. } => {
                WORLD.iter().for_each(|d| maker.along(*d));
                across.iter().for_each(|d| maker.about(*d));
            }
            AttachmentKind::Slide { .. } => {
                WORLD.iter().for_each(|d| maker.about(*d));
                across.iter().for_each(|d| maker.along(*d));
            }
            AttachmentKind::Screw { pitch, .. } => {
                across.iter().for_each(|d| maker.both(*d));
                maker.screw(pitch / (2.0 * real::PI));
            }
        }
    }
}

/// Makes the rows of one attachment.
struct Maker<'a, 'b> {
    at: &'a At<'b>,
    kind: Kind,
    x: &'a Present,
    rows: &'a mut Rows,
}

impl Maker<'_, '_> {
    fn both(&mut self, d: Vec3) {
        self.along(d);
        self.about(d);
    }
    fn along(&mut self, d: Vec3) {
        self.push(d, Vec3::ZERO, d.dot(self.x.p[1] - self.x.p[0]));
    }
    fn about(&mut self, d: Vec3) {
        let error = (self.x.quat[1] * self.x.quat[0].conj()).log();
        self.push(Vec3::ZERO, d, d.dot(error));
    }
    /// (1).
    fn screw(&mut self, lead: f64) {
        let axis = self.x.axis;
        let error = axis.dot(self.x.p[1] - self.x.p[0]) - lead * self.x.angle;
        self.push(axis, axis * -lead, error);
    }

    /// A row of a direction and an axis.
    fn push(&mut self, direction: Vec3, axis: Vec3, error: f64) {
        let first = self.rows.jacobian.len();
        for (link, sign) in [(self.x.links[0], -1.0), (self.x.links[1], 1.0)] {
            if link != 0 {
                let moment = axis + (self.x.p[1] - self.at.bodies.x[link]).cross(direction);
                let value = Six::new(moment * sign, direction * sign);
                self.rows.jacobian.push(Block { value, link: link as u32 });
            }
        }
        let targets = self.at.targets(0.0, -self.at.correction * error);
        self.rows.push(first, self.kind, Bound::None, self.at.mixing, targets);
    }
}
