//! Pictures of motions.

pub mod canvas;
pub mod chart;
mod contact;
mod film;
mod jump;
mod outline;
pub mod raster;
mod side;
mod solving;
mod torques;

pub use jump::{Sample, jump};

use anyhow::Result;
use saltus::math::Vec3;
use saltus::sim::constraint::contact_force;
use saltus::sim::model::kinds::GeomShape;
use saltus::store::StoredPlan;
use saltus::{Data, Model};

/// All pictures of a result, as file names with contents.
pub fn pictures(stored: &StoredPlan) -> Result<Vec<(String, Vec<u8>)>> {
    let all = [
        ("film", film::film(stored)),
        ("modes", contact::modes(stored)),
        ("torques", torques::torques(stored)),
        ("forces", contact::forces(stored)),
        ("convergence", solving::convergence(stored)),
        ("continuation", solving::continuation(stored)),
    ];
    let mut files = Vec::new();
    for (name, canvas) in all {
        files.push((format!("{name}.svg"), canvas.to_svg().into_bytes()));
        files.push((format!("{name}.png"), raster::png(&canvas)?));
    }
    Ok(files)
}

/// A pose in side view: its capsules from far to near, and its contacts.
pub struct Strobe {
    pub time: f64,
    pub com: Vec3,
    pub limbs: Vec<Limb>,
    pub touches: Vec<Touch>,
}

/// A contact point and the force on the second geom, in the world frame.
pub struct Touch {
    pub point: Vec3,
    pub force: Vec3,
}

/// A capsule, or a sphere if both ends coincide.
pub struct Limb {
    pub ends: [Vec3; 2],
    pub radius: f64,
}

impl Strobe {
    pub fn new(model: &Model, data: &Data) -> Self {
        let x = &data.position;
        let limb = |g: usize| {
            let size = model.geoms.size[g];
            let half = match model.geoms.shape[g] {
                GeomShape::Capsule | GeomShape::Cylinder => size[1],
                GeomShape::Sphere => 0.0,
                _ => return None,
            };
            let axis = x.R_WG[g].col(2) * half;
            Some(Limb { ends: [x.p_WG[g] - axis, x.p_WG[g] + axis], radius: size[0] })
        };
        let mut limbs: Vec<Limb> = (0..model.ngeom()).filter_map(limb).collect();
        // Farthest first: the camera is on the −y side.
        limbs.sort_by(|a, b| (b.ends[0].y + b.ends[1].y).total_cmp(&(a.ends[0].y + a.ends[1].y)));
        let touches = data.contacts.iter().map(|c| {
            let [normal, tangent1, tangent2, ..] = contact_force(data, c);
            Touch { point: c.pos, force: c.frame.r0 * normal + c.frame.r1 * tangent1 + c.frame.r2 * tangent2 }
        });
        Self { time: data.state.time, com: x.com[1], limbs, touches: touches.collect() }
    }
}
