//! Joining models: copying a subtree of one spec into another, and replicating subtrees.
//!
//! A *piece* of a kinematic tree is a list of bodies like [`ModelSpec::bodies`]. Its first body is
//! a stand-in for the body that the piece is attached to: elements fixed to the stand-in and its
//! children become those of that body.

use super::names::{Affix, NameSet, Refers};
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
    let mut new_index = vec![None; bodies.len()];
    let mut piece = vec![BodySpec::default()];
    for (i, body) in bodies.iter().enumerate() {
        let parent = if i == root.0 {
            Some(0)
        } else if i == 0 {
            None
        } else {
            new_index[body.parent.0]
        };
        if let Some(parent) = parent {
            new_index[i] = Some(piece.len());
            piece.push(BodySpec { parent: SpecBody(parent), ..body.clone() });
        }
    }
    piece
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
    /// holds) into `parent`, with everything that refers only to what is copied, and all assets.
    /// Names get the affix. Options of `child` and its keyframes stay behind.
    pub fn attach(
        &mut self,
        parent: SpecBody,
        pose: Pose,
        child: &ModelSpec,
        body: Option<&str>,
        affix: &Affix,
    ) -> Result<(), AttachError> {
        let piece = match body {
            None => child.bodies.clone(),
            Some(name) => {
                let root = child.find_body(name).ok_or_else(|| AttachError::NoBody(name.to_owned()))?;
                subtree(&child.bodies, root)
            }
        };
        if parent.0 >= self.bodies.len() {
            return Err(AttachError::NoParent(parent.0));
        }
        if element_count(&self.bodies) + element_count(&piece) > MAX_ELEMENTS {
            return Err(AttachError::TooMany { count: 1 });
        }
        graft(&mut self.bodies, parent, &piece, pose, affix, true);
        self.attach_assets(child, affix);
        self.attach_references(child, NameSet::of_bodies(&piece), affix);
        Ok(())
    }

    /// Copies meshes, height fields, textures, materials and custom data of another model.
    pub fn attach_assets(&mut self, child: &ModelSpec, affix: &Affix) {
        let optional = |name: &mut Option<String>| name.iter_mut().for_each(|n| affix.apply(n));
        for x in &child.meshes {
            let mut x = x.clone();
            affix.apply(&mut x.name);
            optional(&mut x.material);
            self.meshes.push(x);
        }
        for x in &child.materials {
            let mut x = x.clone();
            affix.apply(&mut x.name);
            optional(&mut x.texture);
            x.layers.iter_mut().for_each(|(_, texture)| affix.apply(texture));
            self.materials.push(x);
        }
        macro_rules! copy {
            ($($list:ident),+) => {$(
                for x in &child.$list {
                    let mut x = x.clone();
                    affix.apply(&mut x.name);
                    self.$list.push(x);
                }
            )+};
        }
        copy!(hfields, textures, numerics, texts);
    }

    /// Copies the elements of another model that refer to nothing outside the set; says which of
    /// its actuators.
    pub fn attach_references(&mut self, child: &ModelSpec, mut set: NameSet, affix: &Affix) -> Vec<usize> {
        macro_rules! copy {
            ($($list:ident),+) => {$(
                let inside: Vec<_> = child.$list.iter().filter(|x| x.references_in(&set).1 == 0).collect();
                inside.iter().for_each(|x| note(&mut set, *x));
                self.$list.extend(inside.iter().map(|x| x.renamed(&set, affix)));
            )+};
        }
        let first_tendon = self.tendons.len();
        copy!(tendons);
        // Tendons may be drawn with a material, which is an asset of the child.
        for tendon in &mut self.tendons[first_tendon..] {
            tendon.material.iter_mut().for_each(|m| affix.apply(m));
        }
        let actuators = child.actuators.iter().enumerate().filter(|(_, x)| x.references_in(&set).1 == 0);
        let actuators = actuators.map(|(i, _)| i).collect();
        copy!(actuators, equalities, pairs, excludes, sensors, tuples);
        actuators
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

    /// Adds a renamed copy of every element that refers to the set, and to nothing else.
    pub fn copy_references(&mut self, mut set: NameSet, affix: &Affix) {
        macro_rules! copy {
            ($($list:ident),+) => {$(
                let inside: Vec<_> = self.$list.iter().filter(|x| matches!(x.references_in(&set), (1.., 0))).cloned().collect();
                inside.iter().for_each(|x| note(&mut set, x));
                self.$list.extend(inside.iter().map(|x| x.renamed(&set, affix)));
            )+};
        }
        copy!(tendons, actuators, equalities, pairs, excludes, sensors, tuples);
    }

    /// Replaces every element that refers to the set by one copy per affix. Actuators, equalities
    /// and tuples that refer to something else as well go, as in the reference engine, with a
    /// warning.
    pub fn replicate_references(&mut self, mut set: NameSet, affixes: &[Affix]) -> Result<(), AttachError> {
        macro_rules! replicate {
            ($($list:ident),+) => {$(
                let (inside, mut all): (Vec<_>, Vec<_>) =
                    std::mem::take(&mut self.$list).into_iter().partition(|x| x.references_in(&set).0 > 0);
                if all.len().saturating_add(inside.len().saturating_mul(affixes.len())) > MAX_ELEMENTS {
                    return Err(AttachError::TooMany { count: affixes.len() });
                }
                inside.iter().for_each(|x| note(&mut set, x));
                for affix in affixes {
                    all.extend(inside.iter().map(|x| x.renamed(&set, affix)));
                }
                self.$list = all;
            )+};
        }
        macro_rules! drop_mixed {
            ($($list:ident, $what:literal),+) => {$(
                let (mixed, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.$list)
                    .into_iter()
                    .partition(|x| matches!(x.references_in(&set), (1.., 1..)));
                let warning = |mut x| {
                    let name = Refers::name_mut(&mut x);
                    format!("{} {name:?} refers to a replica and to something else; it is left out", $what)
                };
                self.warnings.extend(mixed.into_iter().map(warning));
                self.$list = rest;
            )+};
        }
        replicate!(tendons);
        drop_mixed!(actuators, "actuator", equalities, "equality", tuples, "tuple");
        replicate!(actuators, equalities, pairs, excludes, sensors, tuples);
        Ok(())
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
    fn remove_subtree(&mut self, body: SpecBody, keep: SpecBody) -> SpecBody {
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

fn note<T: Refers>(set: &mut NameSet, x: &T) {
    let mut x = x.clone();
    set.insert(T::KIND, x.name_mut());
}
