//! Joining models: copying a subtree of one spec into another, and replicating subtrees.
//!
//! A *piece* of a kinematic tree is a list of bodies like [`ModelSpec::bodies`]. Its first body is
//! a stand-in for the body that the piece is attached to: elements fixed to the stand-in and its
//! children become those of that body.

use super::names::{Affix, NameSet};
use super::references::Joining;
use super::*;
use saltus_math::{Quat, Vec3};

/// Maximum number of bodies and elements fixed to them in a model.
pub const MAX_ELEMENTS: usize = 300_000;

/// Why models cannot be joined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AttachError {
    /// The child model does not have the body.
    #[error("the model to attach has no body {0:?}")]
    NoBody(String),
    /// The parent body does not exist.
    #[error("there is no body with index {0} to attach to")]
    NoParent(usize),
    /// Too many replicas.
    #[error("with {count} copies the model would have more than {MAX_ELEMENTS} elements")]
    TooMany { count: usize },
    /// The number of replicas is zero.
    #[error("the number of replicas must be positive")]
    NoReplicas,
}

/// Pose of one frame in another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Position.
    pub pos: Vec3,
    /// Orientation.
    pub quat: Quat,
}

impl Pose {
    /// From position and orientation.
    pub fn new(pos: Vec3, quat: Quat) -> Self {
        Self { pos, quat }
    }

    /// Pose of a frame given in this one.
    pub fn then(&self, inner: Pose) -> Pose {
        if *self == Pose::default() {
            return inner;
        }
        Pose { pos: self.point(inner.pos), quat: (self.quat * inner.quat).normalized() }
    }

    /// A point of this frame in that around it.
    pub fn point(&self, p: Vec3) -> Vec3 {
        self.pos + self.quat.rotate(p)
    }

    fn apply(&self, pos: &mut Vec3, quat: &mut Quat) {
        let moved = self.then(Pose::new(*pos, *quat));
        (*pos, *quat) = (moved.pos, moved.quat);
    }

    /// Resolves an axis given by end points before it is moved: its frame is the shortest turn from
    /// z in the frame in which it was given. What cannot be resolved stays, for the compiler to
    /// refuse.
    fn resolve(&self, shape: GeomShape, from_to: &mut Option<[f64; 6]>, frame: (&mut Vec3, &mut Quat, &mut [f64; 3])) {
        if *self == Pose::default() {
            return;
        }
        if let Some((pos, quat, size)) = from_to.and_then(|ends| along_axis(shape, ends, *frame.2)) {
            (*frame.0, *frame.1, *frame.2) = (pos, quat, size);
            *from_to = None;
        }
    }

    /// Moves elements from this frame into the one in which it is given.
    pub fn move_joint(&self, x: &mut JointSpec) {
        if *self != Pose::default() {
            x.pos = self.point(x.pos);
            x.axis = self.quat.rotate(x.axis);
        }
    }
    /// Moves a geom from this frame to that around it.
    pub fn move_geom(&self, x: &mut GeomSpec) {
        self.resolve(x.shape, &mut x.from_to, (&mut x.pos, &mut x.quat, &mut x.size));
        self.apply(&mut x.pos, &mut x.quat);
    }
    /// Moves a site from this frame to that around it.
    pub fn move_site(&self, x: &mut SiteSpec) {
        self.resolve(x.shape, &mut x.from_to, (&mut x.pos, &mut x.quat, &mut x.size));
        self.apply(&mut x.pos, &mut x.quat);
    }
    /// Moves a camera from this frame to that around it.
    pub fn move_camera(&self, x: &mut CameraSpec) {
        self.apply(&mut x.pos, &mut x.quat);
    }
    /// Moves a light from this frame to that around it.
    pub fn move_light(&self, x: &mut LightSpec) {
        if *self != Pose::default() {
            x.pos = self.point(x.pos);
            x.dir = self.quat.rotate(x.dir);
        }
    }
}

/// Elements of a piece that count against [`MAX_ELEMENTS`]; the body it is put into is not one of
/// them.
pub fn element_count(bodies: &[BodySpec]) -> usize {
    let inside = |b: &BodySpec| b.joints.len() + b.geoms.len() + b.sites.len() + b.cameras.len() + b.lights.len();
    bodies.iter().map(|b| 1 + inside(b)).sum::<usize>().saturating_sub(1)
}

/// Copies a piece into `bodies[parent]`, its frame at `pose`, all names wrapped by `affix`.
/// `assets` says that the piece comes from another model, so that the names of its meshes, height
/// fields, materials, textures and targets are of that model and are wrapped too.
pub fn graft(
    bodies: &mut Vec<BodySpec>,
    parent: SpecBody,
    piece: &[BodySpec],
    pose: Pose,
    affix: &Affix,
    assets: bool,
) {
    let set = NameSet::of_bodies(piece);
    let rename = |target: &mut Option<String>| {
        if let Some(name) = target.as_mut().filter(|n| assets || set.has(ObjectKind::Body, n)) {
            affix.apply(name);
        }
    };
    let asset = |name: &mut Option<String>| {
        if let (true, Some(name)) = (assets, name) {
            affix.apply(name);
        }
    };
    let first = bodies.len();
    for (i, body) in piece.iter().enumerate() {
        let mut copy = body.clone();
        copy.joints.iter_mut().for_each(|x| affix.apply(&mut x.name));
        for x in &mut copy.geoms {
            affix.apply(&mut x.name);
            asset(&mut x.mesh);
            asset(&mut x.hfield);
            asset(&mut x.material);
        }
        for x in &mut copy.sites {
            affix.apply(&mut x.name);
            asset(&mut x.mesh);
            asset(&mut x.material);
        }
        for x in &mut copy.cameras {
            affix.apply(&mut x.name);
            rename(&mut x.target);
        }
        for x in &mut copy.lights {
            affix.apply(&mut x.name);
            rename(&mut x.target);
            asset(&mut x.texture);
        }
        if i == 0 {
            merge_into(&mut bodies[parent.0], copy, pose);
            continue;
        }
        affix.apply(&mut copy.name);
        if body.parent.0 == 0 {
            pose.apply(&mut copy.pos, &mut copy.quat);
            copy.parent = parent;
        } else {
            copy.parent = SpecBody(first + body.parent.0 - 1);
        }
        bodies.push(copy);
    }
}

/// Moves what is fixed to the stand-in of a piece to the body that takes its place.
fn merge_into(body: &mut BodySpec, mut piece: BodySpec, pose: Pose) {
    piece.joints.iter_mut().for_each(|x| pose.move_joint(x));
    piece.geoms.iter_mut().for_each(|x| pose.move_geom(x));
    piece.sites.iter_mut().for_each(|x| pose.move_site(x));
    piece.cameras.iter_mut().for_each(|x| pose.move_camera(x));
    piece.lights.iter_mut().for_each(|x| pose.move_light(x));
    body.joints.append(&mut piece.joints);
    body.geoms.append(&mut piece.geoms);
    body.sites.append(&mut piece.sites);
    body.cameras.append(&mut piece.cameras);
    body.lights.append(&mut piece.lights);
}

/// The piece that consists of one body and everything below it.
pub fn subtree(bodies: &[BodySpec], root: SpecBody) -> Vec<BodySpec> {
    piece_of(bodies, &subtree_indices(bodies, root))
}

/// Indices of the bodies of a piece that consists of one body and everything below it; the first is
/// that of the world, in whose place the stand-in is.
fn subtree_indices(bodies: &[BodySpec], root: SpecBody) -> Vec<usize> {
    let mut inside = vec![false; bodies.len()];
    let mut indices = vec![0];
    for (i, body) in bodies.iter().enumerate().skip(1) {
        inside[i] = i == root.0 || inside[body.parent.0];
        if inside[i] {
            indices.push(i);
        }
    }
    indices
}

/// The piece of these bodies. If it is not a whole model, the stand-in has nothing of the world.
fn piece_of(bodies: &[BodySpec], origin: &[usize]) -> Vec<BodySpec> {
    let mut new_index = vec![0; bodies.len()];
    let mut piece = Vec::with_capacity(origin.len());
    for (new, &old) in origin.iter().enumerate() {
        new_index[old] = new;
        let body = match old {
            0 if origin.len() < bodies.len() => BodySpec::default(),
            _ => bodies[old].clone(),
        };
        piece.push(BodySpec { parent: SpecBody(new_index[bodies[old].parent.0]), ..body });
    }
    piece
}

/// Gives the bodies of a piece the compiler settings of their model, and its joints the limits that
/// these settings infer.
pub fn carry_settings(piece: &mut [BodySpec], child: &ModelSpec, host: &CompilerSpec) {
    let settle = child.compiler.auto_limits && !host.auto_limits;
    for body in piece.iter_mut().skip(1) {
        body.compiler.get_or_insert_with(|| Box::new(child.compiler.clone()));
        for joint in body.joints.iter_mut().filter(|_| settle) {
            settle_limit(&mut joint.limited, joint.range);
            settle_limit(&mut joint.actuator_force_limited, joint.actuator_force_range);
        }
    }
}

/// Whether it is limited, as the compiler infers it from the range.
pub(super) fn settle_limit(limited: &mut Option<bool>, range: [f64; 2]) {
    limited.get_or_insert(range[0] < range[1]);
}

/// Poses of `count` replicas: each displaced from the one before, in its frame.
pub fn replica_poses(count: usize, step: Pose) -> Vec<Pose> {
    std::iter::successors(Some(Pose::default()), |p| Some(p.then(step))).take(count).collect()
}

/// Suffixes of `count` replicas: the separator and the number, with as many digits as the last one
/// has.
pub fn replica_affixes(count: usize, separator: &str) -> Vec<Affix> {
    let width = count.saturating_sub(1).to_string().len();
    (0..count).map(|i| Affix::suffix(format!("{separator}{i:0width$}"))).collect()
}

impl ModelSpec {
    /// Copies a body of `child` with everything below it (or, without a name, all that its world
    /// holds) into `parent`, with all assets and keyframes. Elements that refer to what is copied
    /// come along, see [`copied_references`](Self::copied_references). Names get the affix. The
    /// inertias of the bodies follow the compiler settings of `child`; its options stay behind.
    pub fn attach(
        &mut self,
        parent: SpecBody,
        pose: Pose,
        child: &ModelSpec,
        body: Option<&str>,
        affix: &Affix,
    ) -> Result<(), AttachError> {
        let origin = match body {
            None => (0..child.bodies.len()).collect(),
            Some(name) => {
                let root = child.find_body(name).ok_or_else(|| AttachError::NoBody(name.to_owned()))?;
                subtree_indices(&child.bodies, root)
            }
        };
        if parent.0 >= self.bodies.len() {
            return Err(AttachError::NoParent(parent.0));
        }
        let mut piece = piece_of(&child.bodies, &origin);
        if element_count(&self.bodies) + element_count(&piece) > MAX_ELEMENTS {
            return Err(AttachError::TooMany { count: 1 });
        }
        carry_settings(&mut piece, child, &self.compiler);
        let before = self.key_layout();
        graft(&mut self.bodies, parent, &piece, pose, affix, true);
        self.attach_assets(child, affix);
        let host = || NameSet::of_bodies(&self.bodies);
        let names = NameSet::of_bodies(&piece);
        let joining = Joining { affix, piece: names, host: &host, whole: body.is_none(), again: true };
        let copies = self.copied_references(child, joining);
        let actuators = self.add_references(copies);
        self.grow_keys(&before);
        let place = |old: usize| Some(before.bodies + origin.iter().skip(1).position(|b| *b == old)?);
        self.attach_keys(child, affix, &place, &|a| actuators[a]);
        Ok(())
    }

    /// Copies meshes, height fields, textures, materials and custom data of another model. What is
    /// there already with the same name and contents is not copied again.
    pub fn attach_assets(&mut self, child: &ModelSpec, affix: &Affix) {
        let optional = |name: &mut Option<String>| name.iter_mut().for_each(|n| affix.apply(n));
        macro_rules! copy {
            ($list:ident, $rename:expr) => {
                let before = self.$list.len();
                for x in &child.$list {
                    let mut x = x.clone();
                    affix.apply(&mut x.name);
                    $rename(&mut x);
                    if !self.$list[..before].contains(&x) {
                        self.$list.push(x);
                    }
                }
            };
        }
        copy!(meshes, |x: &mut MeshSpec| optional(&mut x.material));
        copy!(materials, |x: &mut MaterialSpec| {
            optional(&mut x.texture);
            x.layers.iter_mut().for_each(|(_, texture)| affix.apply(texture));
        });
        copy!(hfields, |_| ());
        copy!(textures, |_| ());
        copy!(numerics, |_| ());
        copy!(texts, |_| ());
    }

    /// Copies the default classes of another model.
    pub fn attach_classes(&mut self, child: &ModelSpec, affix: &Affix) {
        let first = self.defaults.classes.len();
        for class in &child.defaults.classes {
            let mut class = class.clone();
            affix.apply(&mut class.name);
            class.parent = Some(class.parent.map_or(0, |p| first + p));
            self.defaults.classes.push(class);
        }
    }

    /// Replaces a body, with everything below it, by `count` copies; each is displaced by `step`
    /// from the one before.
    pub fn replicate(&mut self, body: SpecBody, count: usize, separator: &str, step: Pose) -> Result<(), AttachError> {
        if count == 0 {
            return Err(AttachError::NoReplicas);
        }
        if body.0 == 0 || body.0 >= self.bodies.len() {
            return Err(AttachError::NoParent(body.0));
        }
        let piece = subtree(&self.bodies, body);
        let size = element_count(&piece);
        if element_count(&self.bodies).saturating_add(size.saturating_mul(count)) > MAX_ELEMENTS {
            return Err(AttachError::TooMany { count });
        }
        let parent = self.bodies[body.0].parent;
        let parent = self.remove_subtree(body, parent);
        let affixes = replica_affixes(count, separator);
        for (pose, affix) in replica_poses(count, step).into_iter().zip(&affixes) {
            graft(&mut self.bodies, parent, &piece, pose, affix, false);
        }
        self.replicate_references(NameSet::of_bodies(&piece), &affixes)
    }

    /// Removes a body and everything below it; gives the new handle of `keep`, a body that stays.
    pub(super) fn remove_subtree(&mut self, body: SpecBody, keep: SpecBody) -> SpecBody {
        let mut new_index: Vec<Option<usize>> = vec![Some(0)];
        let mut bodies: Vec<BodySpec> = Vec::with_capacity(self.bodies.len());
        for (i, mut b) in std::mem::take(&mut self.bodies).into_iter().enumerate() {
            if i > 0 {
                let parent = if i == body.0 { None } else { new_index[b.parent.0] };
                new_index.push(parent.map(|_| bodies.len()));
                let Some(parent) = parent else { continue };
                b.parent = SpecBody(parent);
            }
            bodies.push(b);
        }
        self.bodies = bodies;
        SpecBody(new_index.get(keep.0).copied().flatten().unwrap_or(0))
    }
}
