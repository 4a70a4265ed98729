//! The kinematic tree: bodies, frames, replicas, attachments. The walk uses an explicit stack, so
//! the depth is not limited.

use super::body_parts as parts;
use super::classes;
use super::keys::Attachment;
use super::pose::{euler, pose};
use super::reader::Reader;
use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::{Mat3, Quat, Vec3};
use saltus_sim::model::spec::{
    Affix, BodySpec, MAX_ELEMENTS, NameSet, Pose, SpecBody, carry_settings, element_count, graft, replica_affixes,
};

/// A pending task; tasks are processed last in, first out.
enum Task<'t> {
    /// The children of an element from this position on.
    Children { element: Element<'t>, next: usize, at: Place },
    /// The piece collected since the matching `Open` is complete: copy it into the piece below.
    Replicate { element: Element<'t>, at: Place },
}

/// Destination of elements: body (in the topmost piece), frame in that body, default class, whether
/// joints are allowed.
#[derive(Clone, Copy)]
struct Place {
    body: usize,
    pose: Pose,
    class: usize,
    kind: Holder,
}

#[derive(Clone, Copy, PartialEq)]
enum Holder {
    World,
    Body,
    Replicate,
}

/// Walk over one kinematic tree. The last piece is the one being filled.
pub struct World<'r, 'a> {
    reader: &'r mut Reader<'a>,
    pieces: Vec<Vec<BodySpec>>,
    count: usize,
}

impl<'r, 'a> World<'r, 'a> {
    /// Reads the children of `roots` into the world body of the reader's model.
    pub fn read(reader: &'r mut Reader<'a>, roots: &[(Element<'_>, usize)]) -> Result<(), ReadError> {
        let bodies = std::mem::take(&mut reader.spec.bodies);
        let mut world = World { reader, count: element_count(&bodies), pieces: vec![bodies] };
        for &(element, class) in roots {
            world.walk(element, class)?;
        }
        let pieces = std::mem::take(&mut world.pieces);
        world.reader.spec.bodies = pieces.into_iter().next().unwrap_or_default();
        Ok(())
    }

    fn walk(&mut self, root: Element, class: usize) -> Result<(), ReadError> {
        // A frame can be extracted from a body, joints included.
        let kind = if root.tag() == "frame" { Holder::Body } else { Holder::World };
        let at = Place { body: 0, pose: Pose::default(), class, kind };
        let mut stack = Vec::new();
        // A body or frame that is attached by itself is an element, not a container.
        if root.tag() == "worldbody" {
            stack.push(Task::Children { element: root, next: 0, at });
        } else {
            self.element(root, at, &mut stack)?;
        }
        while let Some(task) = stack.pop() {
            match task {
                Task::Children { element, next, at } => {
                    if let Some(child) = element.child(next) {
                        stack.push(Task::Children { element, next: next + 1, at });
                        self.element(child, at, &mut stack)?;
                    }
                }
                Task::Replicate { element, at } => self.replicate(element, at)?,
            }
        }
        Ok(())
    }

    fn piece(&mut self) -> &mut Vec<BodySpec> {
        if self.pieces.is_empty() {
            self.pieces.push(vec![BodySpec::default()]);
        }
        let last = self.pieces.len() - 1;
        &mut self.pieces[last]
    }

    fn body(&mut self, at: Place) -> &mut BodySpec {
        &mut self.piece()[at.body]
    }

    fn element<'t>(&mut self, e: Element<'t>, at: Place, stack: &mut Vec<Task<'t>>) -> Result<(), ReadError> {
        let container = |at| Task::Children { element: e, next: 0, at };
        match e.tag() {
            "body" => {
                self.grow(e, 1)?;
                let class = self.class_below(e, at)?;
                let body = self.new_body(e, at)?;
                let piece = self.piece();
                piece.push(body);
                let body = piece.len() - 1;
                stack.push(container(Place { body, pose: Pose::default(), class, kind: Holder::Body }));
            }
            "frame" => {
                for (name, neutral) in [("scale", "1"), ("massscale", "1")] {
                    if e.list(name)?.is_some_and(|v| v.iter().any(|x| *x != 1.0)) {
                        let message = format!("scaled frames are not supported; only {neutral:?} is");
                        return Err(e.attribute_error(name, message));
                    }
                }
                let mut inner = Pose::default();
                pose(e, &self.reader.notation, &mut inner.pos, &mut inner.quat)?;
                self.reader.claim(e, "frame", e.text("name").unwrap_or_default())?;
                let class = self.class_below(e, at)?;
                stack.push(container(Place { pose: at.pose.then(inner), class, ..at }));
            }
            "replicate" => {
                let class = self.class_below(e, at)?;
                stack.push(Task::Replicate { element: e, at });
                self.pieces.push(vec![BodySpec::default()]);
                stack.push(container(Place { body: 0, pose: Pose::default(), class, kind: Holder::Replicate }));
            }
            "attach" => self.attach(e, at)?,
            "inertial" => self.inertial(e, at)?,
            "joint" | "freejoint" => self.joint(e, at)?,
            _ => self.fixed(e, at)?,
        }
        Ok(())
    }

    /// Counts elements and checks the limit on the size of a model.
    fn grow(&mut self, e: Element, by: usize) -> Result<(), ReadError> {
        self.count = self.count.saturating_add(by);
        if self.count > MAX_ELEMENTS {
            return Err(e.error(format!(
                "the model has more than {MAX_ELEMENTS} bodies, joints, geoms, sites, cameras and lights"
            )));
        }
        Ok(())
    }

    fn class_below(&self, e: Element, at: Place) -> Result<usize, ReadError> {
        classes::index(e, "childclass", &self.reader.spec.defaults, at.class)
    }

    fn new_body(&self, e: Element, at: Place) -> Result<BodySpec, ReadError> {
        let mut b = BodySpec { parent: SpecBody(at.body), place: e.place(), ..BodySpec::default() };
        e.string("name", &mut b.name);
        pose(e, &self.reader.notation, &mut b.pos, &mut b.quat)?;
        let moved = at.pose.then(Pose::new(b.pos, b.quat));
        (b.pos, b.quat) = (moved.pos, moved.quat);
        e.flag("mocap", &mut b.mocap)?;
        e.real("gravcomp", &mut b.gravcomp)?;
        e.keyword("sleep", &[("auto", ()), ("never", ()), ("allowed", ()), ("init", ())], &mut ())?;
        e.keyword("simple", &[("false", ()), ("auto", ())], &mut ())?;
        e.keyword("fuse", &[("false", ()), ("true", ()), ("auto", ())], &mut ())?;
        e.user(&mut b.user)?;
        Ok(b)
    }

    fn inertial(&mut self, e: Element, at: Place) -> Result<(), ReadError> {
        if at.kind != Holder::Body {
            return Err(e.error("only a body can have an inertial"));
        }
        let mut i = parts::inertial(e, &self.reader.notation)?;
        match &mut i.full {
            Some(full) => {
                *full = rotated(*full, at.pose.quat);
                i.pos = at.pose.point(i.pos);
            }
            None => {
                let moved = at.pose.then(Pose::new(i.pos, i.quat));
                (i.pos, i.quat) = (moved.pos, moved.quat);
            }
        }
        if self.body(at).inertial.replace(i).is_some() {
            return Err(e.error("may be given only once in a body"));
        }
        Ok(())
    }

    fn joint(&mut self, e: Element, at: Place) -> Result<(), ReadError> {
        match at.kind {
            Holder::World => return Err(e.error("the world cannot have joints; put them in a body")),
            Holder::Replicate => return Err(e.error("not allowed directly in replicate; wrap it in a body")),
            Holder::Body => {}
        }
        self.grow(e, 1)?;
        let mut joint = if e.tag() == "freejoint" {
            parts::free_joint(e)?
        } else {
            let mut joint = classes::of(e, &self.reader.spec.defaults, at.class)?.joint.clone();
            parts::joint(e, &mut joint)?;
            parts::to_radians(&mut joint, &self.reader.notation);
            joint
        };
        joint.place = e.place();
        at.pose.move_joint(&mut joint);
        self.body(at).joints.push(joint);
        Ok(())
    }

    /// Elements that can be fixed to any body, the world included.
    fn fixed(&mut self, e: Element, at: Place) -> Result<(), ReadError> {
        self.grow(e, 1)?;
        let class = classes::of(e, &self.reader.spec.defaults, at.class)?;
        let notation = &self.reader.notation;
        match e.tag() {
            "geom" => {
                let mut x = class.geom.clone();
                parts::geom(e, notation, &mut x)?;
                at.pose.move_geom(&mut x);
                x.place = e.place();
                self.body(at).geoms.push(x);
            }
            "site" => {
                let mut x = class.site.clone();
                parts::site(e, notation, &mut x)?;
                at.pose.move_site(&mut x);
                x.place = e.place();
                self.body(at).sites.push(x);
            }
            "camera" => {
                let mut x = class.camera.clone();
                parts::camera(e, notation, &mut x)?;
                at.pose.move_camera(&mut x);
                x.place = e.place();
                self.body(at).cameras.push(x);
            }
            "light" => {
                let mut x = class.light.clone();
                parts::light(e, &mut x)?;
                at.pose.move_light(&mut x);
                x.place = e.place();
                self.body(at).lights.push(x);
            }
            tag => return Err(e.error(format!("<{tag}> is not allowed here"))),
        }
        Ok(())
    }

    fn replicate(&mut self, e: Element, at: Place) -> Result<(), ReadError> {
        let mut count = 0;
        e.required("count")?;
        e.count("count", &mut count)?;
        if count == 0 {
            return Err(e.attribute_error("count", "must be positive"));
        }
        let (mut offset, mut angles) = (Vec3::ZERO, Vec3::ZERO);
        e.vec3("offset", &mut offset)?;
        e.vec3("euler", &mut angles)?;
        let piece = self.pieces.pop().unwrap_or_default();
        self.grow(e, element_count(&piece).saturating_mul(count - 1))?;
        if count > MAX_ELEMENTS {
            return Err(e.attribute_error("count", format!("expected at most {MAX_ELEMENTS}, found {count}")));
        }
        let (level, first) = (self.pieces.len() + 1, self.piece().len());
        let affixes = replica_affixes(count, e.text("sep").unwrap_or_default());
        let mut pose = Pose::default();
        for (i, affix) in affixes.iter().enumerate() {
            // The angles are added, not the rotations: Euler angles about different axes do not
            // commute.
            pose.quat = euler((angles * i as f64).to_array(), &self.reader.notation);
            graft(self.piece(), SpecBody(at.body), &piece, at.pose.then(pose), affix, false);
            pose.pos = pose.point(offset);
        }
        self.reader.replicated(e, NameSet::of_bodies(&piece), &affixes, first, level)
    }

    fn attach(&mut self, e: Element, at: Place) -> Result<(), ReadError> {
        let prefix = match e.attributes().find(|(name, _)| *name == "prefix") {
            Some((_, prefix)) => Affix::prefix(prefix),
            None => return Err(e.attribute_error("prefix", "required: the prefix of the names of attached elements")),
        };
        if e.text("body").is_some() && e.text("frame").is_some() {
            return Err(e.attribute_error("frame", "cannot be given together with body"));
        }
        let Some(model) = e.text("model") else { return self.attach_self(e, at, &prefix) };
        let (child, whole) = self.reader.child(e, model)?;
        self.grow(e, element_count(&child.bodies))?;
        let (first, level) = (self.piece().len(), self.pieces.len());
        let to = Attachment { first, level, prefix: prefix.prefix.clone(), actuators: Vec::new() };
        let mut piece = child.bodies.clone();
        carry_settings(&mut piece, &child, &self.reader.spec.compiler);
        graft(self.piece(), SpecBody(at.body), &piece, at.pose, &prefix, true);
        let host = || {
            let mut host = NameSet::default();
            self.pieces.iter().for_each(|piece| host.add_bodies(piece));
            host
        };
        self.reader.adopt(e, whole.as_ref().unwrap_or(&child), &child, &prefix, &host, to)?;
        Ok(())
    }

    /// Copies a body that is already part of this model.
    fn attach_self(&mut self, e: Element, at: Place, prefix: &Affix) -> Result<(), ReadError> {
        let Some(name) = e.text("body") else {
            return Err(e.error("without `model`, `body` must name the body of this model to copy"));
        };
        let found = self.pieces.iter().find_map(|piece| {
            let root = piece.iter().skip(1).position(|b| b.name == name)?;
            Some(saltus_sim::model::spec::subtree(piece, SpecBody(root + 1)))
        });
        let Some(piece) = found else {
            return Err(e.attribute_error("body", format!("there is no body {name:?} above this element")));
        };
        self.grow(e, element_count(&piece))?;
        graft(self.piece(), SpecBody(at.body), &piece, at.pose, prefix, false);
        self.reader.copy_references(NameSet::of_bodies(&piece), prefix);
        Ok(())
    }
}

/// R I Rᵀ of an inertia Ixx, Iyy, Izz, Ixy, Ixz, Iyz.
fn rotated([xx, yy, zz, xy, xz, yz]: [f64; 6], quat: Quat) -> [f64; 6] {
    let r = quat.to_mat3();
    let inertia = Mat3::new(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let i = r * inertia * r.transpose();
    [i.r0.x, i.r1.y, i.r2.z, i.r0.y, i.r0.z, i.r1.z]
}
