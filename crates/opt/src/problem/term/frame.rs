//! Frames that are fixed in bodies, used by terms about sites and bodies.

use saltus_math::{Quat, Vec3};
use saltus_sim::ids::BodyId;
use saltus_sim::{Data, Model};

/// A frame that is fixed in a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The body.
    pub body: BodyId,
    /// Its origin in the frame of the body, m.
    pub position: Vec3,
    /// Its orientation in the frame of the body.
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
    /// Its origin in the world.
    pub fn place(&self, data: &Data) -> Vec3 {
        let b = self.body.idx();
        data.position.p_WB[b] + data.position.quat_WB[b].rotate(self.position)
    }
    /// Its orientation in the world.
    pub fn turned(&self, data: &Data) -> Quat {
        data.position.quat_WB[self.body.idx()] * self.rotation
    }
}
