//! Frames that are fixed in bodies: what terms about places speak of.

use saltus_math::{Quat, Vec3};
use saltus_sim::ids::BodyId;
use saltus_sim::{Data, Model};

/// A frame that is fixed in a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The body.
    pub body: BodyId,
    /// Its pose in the frame of the body.
    pub position: Vec3,
    /// Orientation in the body.
    pub rotation: Quat,
}

impl Frame {
    /// The frame of a site.
    pub fn of_site(model: &Model, site: usize) -> Self {
        Self { body: model.sites.body[site], position: model.sites.pos[site], rotation: model.sites.quat[site] }
    }
    /// The frame of a body.
    pub fn of_body(body: BodyId) -> Self {
        Self { body, position: Vec3::ZERO, rotation: Quat::IDENTITY }
    }
    /// Where its origin is in the world.
    pub fn place(&self, data: &Data) -> Vec3 {
        let b = self.body.idx();
        data.position.p_WB[b] + data.position.quat_WB[b].rotate(self.position)
    }
    /// How it is turned in the world.
    pub fn turned(&self, data: &Data) -> Quat {
        data.position.quat_WB[self.body.idx()] * self.rotation
    }
}
