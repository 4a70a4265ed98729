//! Left/right symmetry of a model, found from its geometry: bodies, joints and masses on one side
//! of the plane y = 0 of the reference pose have partners on the other.

use crate::problem::mirror::Mirror;
use saltus_math::{Mat3, Random, Vec3};
use saltus_sim::ids::GeomId;
use saltus_sim::kinematics::coordinates::integrate;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::options::Disable;
use saltus_sim::{Data, Model, forward_smooth};

/// Largest difference between partners: of positions relative to the size of the robot, of axes, of
/// masses relative to each.
const TOLERANCE: f64 = 0.02;

/// Largest difference of forces between a motion and its mirror image, relative to the largest of
/// them.
const SAME: f64 = 1e-4;

/// Largest distance between what touches on one side and the mirror image of what touches on the
/// other side, relative to the size of the robot. Contacts are so stiff at the end of the
/// continuation that a tenth of a millimetre is a large force.
const SAME_PLACE: f64 = 2e-5;

/// Why a model is not symmetric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no left/right symmetry: {0}")]
pub struct NoSymmetry(pub String);

/// The reflection of a model at y = 0, for robots whose reference pose faces along x. Bodies that
/// are not `members`, objects that lie around, stay where they are.
pub fn find_mirror(model: &Model, members: &[bool]) -> Result<Mirror, NoSymmetry> {
    let mut data = Data::new(model);
    forward_smooth(model, &mut data);
    let partners = find_partners(model, &data, members)?;
    let mut mirror = Mirror::identity(model.size.nq, model.size.nv);
    for (body, &partner) in partners.iter().enumerate().filter(|&(body, _)| members[body]) {
        let (own, other) = (model.bodies.joints[body], model.bodies.joints[partner]);
        for (j, k) in own.range().zip(other.range()) {
            map_joint(model, &data, [j, k], &mut mirror)?;
        }
    }
    if !mirror.is_involution() {
        return Err(NoSymmetry("the partners of joints are not each other's".to_owned()));
    }
    if let Some(body) = (1..model.nbody()).find(|&b| (friction(model, b) - friction(model, partners[b])).abs() > SAME) {
        let [own, other] = [body, partners[body]].map(|b| &model.bodies.name[b]);
        return Err(NoSymmetry(format!("{own} and {other} have different friction")));
    }
    find_partners_of_contacts(model, &data, &partners)?;
    let apart = difference_of_halves(model, &mirror);
    if apart > SAME {
        let percent = 100.0 * apart;
        return Err(NoSymmetry(format!("forces of a motion and of its mirror image differ by {percent:.2} %")));
    }
    let mut image = vec![0.0; model.size.nq];
    mirror.apply(&model.q0, &mut image);
    match image.iter().zip(&model.q0).position(|(a, b)| (a - b).abs() > 1e-6) {
        Some(i) => Err(NoSymmetry(format!("coordinate {i} of the reference pose is not that of its partner"))),
        None => Ok(mirror),
    }
}

/// Gives partners the smaller friction of both, if that is all that is between a model and its
/// mirror image: a motion that gets by with it is one of the model too. Returns who they are.
pub fn level_friction(model: &mut Model, members: &[bool]) -> Option<String> {
    let mut level = model.clone();
    let mut data = Data::new(model);
    forward_smooth(model, &mut data);
    let partners = find_partners(model, &data, members).ok()?;
    let bodies = |k: usize| [model.pairs.geom1[k], model.pairs.geom2[k]].map(|g| model.geoms.body[g.idx()].idx());
    let count = model.pairs.geom1.len();
    let mut different = None;
    for k in 0..count {
        let own = bodies(k);
        let image = own.map(|b| partners[b]);
        for other in (0..count).filter(|&other| bodies(other) == image) {
            for axis in 0..2 {
                let [mine, theirs] = [k, other].map(|k| model.pairs.friction[k][axis]);
                if theirs < mine - SAME {
                    level.pairs.friction[k][axis] = level.pairs.friction[k][axis].min(theirs);
                    let changed = usize::from(model.bodies.tree[own[0]].is_none());
                    different =
                        Some([own[changed], image[changed]].map(|b| model.bodies.name[b].as_str()).join(" and "));
                }
            }
        }
    }
    let different = different.filter(|_| find_mirror(&level, members).is_ok())?;
    *model = level;
    Some(different)
}

/// Sum of the coefficients of friction of all that can touch a body.
fn friction(model: &Model, body: usize) -> f64 {
    let touches = |g: GeomId| model.geoms.body[g.idx()].idx() == body;
    let pairs = &model.pairs;
    let own = (0..pairs.geom1.len()).filter(|&k| touches(pairs.geom1[k]) || touches(pairs.geom2[k]));
    own.map(|k| pairs.friction[k][0] + pairs.friction[k][1]).sum()
}

/// How much the forces of a mirrored motion differ from the mirrored forces of a motion, relative
/// to the largest: a gait that is its own mirror image is one of the robot only if they do not.
fn difference_of_halves(model: &Model, mirror: &Mirror) -> f64 {
    let (nv, mut random) = (model.size.nv, Random(1));
    let mut some = |size: f64| -> Vec<f64> { (0..nv).map(|_| size * random.signed()).collect() };
    let (shift, v, a) = (some(0.3), some(1.0), some(10.0));
    let mut q = model.q0.clone();
    integrate(model, &mut q, &shift, 1.0);
    let mut model = model.clone();
    model.options.disable.set(Disable::CONSTRAINT, true);
    let mut data = Data::new(&model);
    let mut forces = |q: &[f64], v: &[f64], a: &[f64]| {
        data.state.q.copy_from_slice(q);
        data.state.v.copy_from_slice(v);
        data.acceleration.a.copy_from_slice(a);
        saltus_sim::inverse(&model, &mut data).map(|()| data.acceleration.tau_inverse.clone()).ok()
    };
    let reflect = |x: &[f64]| {
        let mut out = vec![0.0; nv];
        mirror.apply_tangent(x, &mut out);
        out
    };
    let mut q_image = q.clone();
    mirror.apply(&q, &mut q_image);
    let (Some(here), Some(there)) = (forces(&q, &v, &a), forces(&q_image, &reflect(&v), &reflect(&a))) else {
        return f64::INFINITY;
    };
    let largest = here.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    reflect(&here).iter().zip(&there).fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs() / largest))
}

/// The body that each body is the mirror image of; of what is not a member, itself.
fn find_partners(model: &Model, data: &Data, members: &[bool]) -> Result<Vec<usize>, NoSymmetry> {
    let nbody = model.nbody();
    let size = size_of(model, data);
    let mut partners: Vec<usize> = (0..nbody).collect();
    for body in (1..nbody).filter(|&body| members[body]) {
        let parent = partners[model.bodies.parent[body].idx()];
        let distance = |other: usize| {
            let root = |b: usize| data.position.p_WB[model.bodies.root[b].idx()] * Vec3::Y;
            let place = data.position.p_WI[body] - root(body);
            (reflect(place) - (data.position.p_WI[other] - root(other))).length()
        };
        let alike = |&other: &usize| {
            members[other]
                && model.bodies.parent[other].idx() == parent
                && kinds(model, other).eq(kinds(model, body))
                && (model.bodies.mass[other] - model.bodies.mass[body]).abs() <= TOLERANCE * model.bodies.mass[body]
        };
        // Legs of planar robots are at the same place: there the partner is the other one.
        let near = |other: &usize| distance(*other) <= TOLERANCE * size;
        let others = (1..nbody).filter(|&other| other != body).filter(alike).filter(near);
        let best = others.min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        match best.or(Some(body).filter(|b| alike(b) && near(b))) {
            Some(other) => partners[body] = other,
            None => return Err(NoSymmetry(format!("the body {} has no partner", model.bodies.name[body]))),
        }
    }
    Ok(partners)
}

/// Distance between bodies in the reference pose.
fn size_of(model: &Model, data: &Data) -> f64 {
    let root = data.position.p_WB[1];
    (1..model.nbody()).fold(1e-6, |m, b| f64::max(m, (data.position.p_WB[b] - root).length()))
}

/// Checks that shapes that are planned to touch something have mirror images on the partners of
/// their bodies.
fn find_partners_of_contacts(model: &Model, data: &Data, partners: &[usize]) -> Result<(), NoSymmetry> {
    let (geoms, pairs) = (&model.geoms, &model.pairs);
    let body = |g: usize| geoms.body[g].idx();
    let place = |g: usize| {
        let root = model.bodies.root[body(g)].idx();
        data.position.p_WG[g] - data.position.p_WB[root] * Vec3::Y
    };
    let mut touching: Vec<usize> = pairs.geom1.iter().chain(&pairs.geom2).map(|g| g.idx()).collect();
    touching.retain(|&g| model.bodies.tree[body(g)].is_some());
    touching.sort_unstable();
    touching.dedup();
    let allowed = SAME_PLACE * size_of(model, data);
    for &g in &touching {
        let is_alike = |&other: &usize| body(other) == partners[body(g)] && geoms.shape[other] == geoms.shape[g];
        let away = |other: usize| {
            let sizes = geoms.size[g].iter().zip(&geoms.size[other]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            f64::max((reflect(place(g)) - place(other)).length(), sizes)
        };
        let least = touching.iter().copied().filter(is_alike).map(away).fold(f64::INFINITY, f64::min);
        if least > allowed {
            let [own, other] = [body(g), partners[body(g)]].map(|b| &model.bodies.name[b]);
            let apart = 1e3 * least;
            return Err(NoSymmetry(format!(
                "contact points of {own} are not mirror images of those of {other}: {apart:.2} mm apart"
            )));
        }
    }
    Ok(())
}

fn kinds(model: &Model, body: usize) -> impl Iterator<Item = JointKind> + '_ {
    model.bodies.joints[body].range().map(|j| model.joints.kind[j])
}

/// Reflection of a vector.
fn reflect(v: Vec3) -> Vec3 {
    Vec3::new(v.x, -v.y, v.z)
}

/// Coordinates and dofs of joint `j` come from joint `k`.
fn map_joint(model: &Model, data: &Data, [j, k]: [usize; 2], mirror: &mut Mirror) -> Result<(), NoSymmetry> {
    let start = |j: usize| (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
    let ((qj, dj), (qk, dk)) = (start(j), start(k));
    let wrong = |what: &str| Err(NoSymmetry(format!("the joint {} {what}", model.joints.name[j])));
    let mut rotation = |q: usize, from: usize, d: usize, dof: usize| {
        for (i, sign) in [1.0, -1.0, 1.0, -1.0].into_iter().enumerate() {
            mirror.q[q + i] = (from + i, sign);
        }
        for (i, sign) in [-1.0, 1.0, -1.0].into_iter().enumerate() {
            mirror.dof[d + i] = (dof + i, sign);
        }
    };
    match model.joints.kind[j] {
        JointKind::Free => {
            rotation(qj + 3, qk + 3, dj + 3, dk + 3);
            for (i, sign) in [1.0, -1.0, 1.0].into_iter().enumerate() {
                mirror.q[qj + i] = (qk + i, sign);
                mirror.dof[dj + i] = (dk + i, sign);
            }
        }
        JointKind::Ball => {
            // The frames of the two bodies must be each other's mirror images: R' = S R S.
            let frames = [j, k].map(|j| data.position.R_WB[model.joints.body[j].idx()]);
            if !is_reflected(&frames[0], &frames[1]) {
                return wrong("is a ball whose frame is not mirrored");
            }
            rotation(qj, qk, dj, dk);
        }
        kind @ (JointKind::Slide | JointKind::Hinge) => {
            let image = reflect(data.position.axis_W[k]);
            // Axes of rotation are pseudo-vectors.
            let image = if kind == JointKind::Hinge { -image } else { image };
            let along = image.dot(data.position.axis_W[j]);
            if along.abs() < 1.0 - TOLERANCE {
                return wrong("has an axis that is not that of its partner");
            }
            mirror.q[qj] = (qk, along.signum());
            mirror.dof[dj] = (dk, along.signum());
        }
    }
    Ok(())
}

fn is_reflected(a: &Mat3, b: &Mat3) -> bool {
    let signs = [1.0, -1.0, 1.0];
    let rows = |m: &Mat3| [m.r0.to_array(), m.r1.to_array(), m.r2.to_array()];
    let (a, b) = (rows(a), rows(b));
    (0..3).all(|i| (0..3).all(|j| (signs[i] * signs[j] * a[i][j] - b[i][j]).abs() <= TOLERANCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two feet on legs of a floating trunk; that on the right is moved forward by `shift`.
    fn biped(shift: f64) -> Model {
        let leg = |name: &str, y: f64, x: f64| {
            format!(
                "<body name='{name}' pos='0 {y} 0'><joint axis='0 1 0'/><inertial pos='0 0 -.2' mass='1' \
                 diaginertia='.01 .01 .01'/><geom name='{name}' size='.03' pos='{x} 0 -.4' mass='0'/></body>"
            )
        };
        let xml = format!(
            "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='trunk' pos='0 0 .5'>
               <freejoint/><geom size='.1' contype='0' conaffinity='0'/>{}{}</body></worldbody>
             <contact><pair geom1='floor' geom2='left'/><pair geom1='floor' geom2='right'/></contact></mujoco>",
            leg("left", 0.1, 0.0),
            leg("right", -0.1, shift)
        );
        saltus_sim::compile(&saltus_io::read_str(&xml, &Default::default()).unwrap()).unwrap()
    }

    #[test]
    fn contacts_must_be_mirror_images() {
        let members = |model: &Model| vec![true; model.nbody()];
        let (same, other) = (biped(0.0), biped(1e-3));
        assert!(find_mirror(&same, &members(&same)).is_ok());
        let why = find_mirror(&other, &members(&other)).unwrap_err().to_string();
        assert!(why.contains("contact points of left") && why.contains("1.00 mm"), "{why}");
    }
}
