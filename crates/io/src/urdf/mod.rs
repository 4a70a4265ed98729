//! URDF reader. Where the URDF specification is silent, it follows MuJoCo.
//!
//! A link without a parent is fixed to the world; a link named `world` is the world. A link without
//! `inertial` has no mass. Inertias are used as given, with a warning if they are not physically
//! possible for a single body: only the inertia of everything that moves must be positive definite.
//! Joint efforts limit the actuator force on the joint. Visuals do not collide and have no mass. A
//! `<mujoco>` block in `<robot>` may contain the MJCF sections `compiler`, `option` and `size`;
//! `discardvisual` and `fusestatic` are on by default.

pub(crate) mod extension;
mod joint;
pub(crate) mod link;
mod locate;

use crate::error::ReadError;
use crate::source::{self, Source};
use crate::xml::{Element, Tree};
use extension::Settings;
pub(crate) use joint::{set_effort, set_velocity};
use saltus_math::{Quat, Vec3};
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{BodySpec, SpecBody};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Reads a URDF file and the meshes that it refers to.
pub fn read_file(path: impl AsRef<Path>) -> Result<ModelSpec, ReadError> {
    source::read_model(path.as_ref(), read)
}

/// Reads URDF text. Meshes are taken from `assets` only.
pub fn read_str(xml: &str, assets: &BTreeMap<String, Vec<u8>>) -> Result<ModelSpec, ReadError> {
    read(&Source::memory(assets), "", xml)
}

pub(crate) fn read(source: &Source, name: &str, text: &str) -> Result<ModelSpec, ReadError> {
    let tree = Tree::load(source, name, text)?;
    let root = tree.root();
    if root.tag() != "robot" {
        return Err(root.error("a URDF file has the root element robot"));
    }
    let mut spec = ModelSpec::default();
    root.string("name", &mut spec.name);
    let settings = Settings::read(root, &mut spec)?;
    let mut reader = Reader::new(source, spec, settings);
    reader.colors = link::named_colors(root)?;
    reader.robot(root)
}

/// The model as read so far, and shared state of the reader.
pub(crate) struct Reader<'a> {
    source: &'a Source<'a>,
    pub(crate) spec: ModelSpec,
    settings: Settings,
    /// Colors of materials by name; other properties of materials are ignored.
    colors: BTreeMap<String, [f32; 4]>,
    geom_names: BTreeSet<String>,
    joint_names: BTreeSet<String>,
    /// Names of mesh assets by file and by the bits of the scale.
    meshes: BTreeMap<(String, [u64; 3]), String>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(source: &'a Source<'a>, spec: ModelSpec, settings: Settings) -> Self {
        Self {
            source,
            spec,
            settings,
            colors: BTreeMap::new(),
            geom_names: BTreeSet::new(),
            joint_names: BTreeSet::new(),
            meshes: BTreeMap::new(),
        }
    }
}

/// Links and joints as a forest of elements.
struct Forest<'t> {
    links: Vec<Element<'t>>,
    /// The joint that connects each link to its parent.
    joint: Vec<Option<Element<'t>>>,
    /// The child links of each link, in the order of their joints.
    children: Vec<Vec<usize>>,
}

impl<'t> Forest<'t> {
    fn read(root: Element<'t>) -> Result<Self, ReadError> {
        let links: Vec<_> = root.all("link").collect();
        let mut index = BTreeMap::new();
        for (i, link) in links.iter().enumerate() {
            if index.insert(link.required("name")?, i).is_some() {
                return Err(link.attribute_error("name", "another link has the same name"));
            }
        }
        let find = |joint: Element<'t>, tag: &'t str| {
            let end = only(joint, tag)?.ok_or_else(|| joint.error(format!("expected an element {tag}")))?;
            let name = end.required("link")?;
            index.get(&name).copied().ok_or_else(|| end.attribute_error("link", format!("there is no link {name:?}")))
        };
        let mut joint = vec![None; links.len()];
        let mut children = vec![Vec::new(); links.len()];
        for element in root.all("joint") {
            let (parent, child) = (find(element, "parent")?, find(element, "child")?);
            if joint[child].replace(element).is_some() {
                let name = links[child].text("name").unwrap_or_default();
                return Err(element.error(format!("link {name:?} already has a parent; URDF describes trees only")));
            }
            children[parent].push(child);
        }
        Ok(Self { links, joint, children })
    }
}

impl Reader<'_> {
    fn robot(mut self, root: Element) -> Result<ModelSpec, ReadError> {
        let forest = Forest::read(root)?;
        let mut seen = vec![false; forest.links.len()];
        let roots = (0..forest.links.len()).filter(|l| forest.joint[*l].is_none());
        let mut stack: Vec<_> = roots.map(|l| (l, self.spec.world())).collect();
        stack.reverse();
        while let Some((l, parent)) = stack.pop() {
            seen[l] = true;
            let body = self.body(forest.links[l], forest.joint[l], parent)?;
            stack.extend(forest.children[l].iter().rev().map(|c| (*c, body)));
        }
        if let Some(l) = seen.iter().position(|s| !s) {
            return Err(forest.links[l].error("the joints above this link form a loop"));
        }
        self.mimics(root)?;
        Ok(self.spec)
    }

    /// Adds the body of a link with its joints.
    fn body(&mut self, link: Element, joint: Option<Element>, parent: SpecBody) -> Result<SpecBody, ReadError> {
        let mut body = BodySpec { name: link.required("name")?, place: link.place(), ..BodySpec::default() };
        body.inertial = link::inertial(link)?;
        self.doubt(&body);
        self.geoms(link, &mut body.geoms)?;
        let world = self.spec.world();
        if let Some(joint) = joint {
            (body.pos, body.quat) = pose(joint)?;
            body.joints = self.joints(joint)?;
        } else if body.name == "world" {
            let to = self.spec.body_mut(world);
            (to.inertial, to.geoms) = (body.inertial, body.geoms);
            return Ok(world);
        }
        if body.name == "world" {
            return Err(link.attribute_error("name", "a link named \"world\" cannot have a parent"));
        }
        Ok(self.spec.add_body(parent, body))
    }
}

/// The only child with this tag, if there is one.
pub(crate) fn only<'t>(parent: Element<'t>, tag: &'t str) -> Result<Option<Element<'t>>, ReadError> {
    let mut all = parent.all(tag);
    let first = all.next();
    match all.next() {
        Some(second) => Err(second.error(format!("only one such element is allowed in {}", parent.tag()))),
        None => Ok(first),
    }
}

/// Pose given by the child `origin`: position, and roll, pitch, yaw.
fn pose(parent: Element) -> Result<(Vec3, Quat), ReadError> {
    let (mut xyz, mut rpy) = (Vec3::ZERO, Vec3::ZERO);
    if let Some(origin) = only(parent, "origin")? {
        origin.vec3("xyz", &mut xyz)?;
        origin.vec3("rpy", &mut rpy)?;
    }
    Ok((xyz, turned(rpy)))
}

/// The orientation after rotations about the fixed axes x, y, z in this order.
pub(crate) fn turned(rpy: Vec3) -> Quat {
    let turn = |axis, angle| Quat::from_axis_angle(axis, angle);
    turn(Vec3::Z, rpy.z) * turn(Vec3::Y, rpy.y) * turn(Vec3::X, rpy.x)
}

/// A required number.
fn required_real(element: Element, name: &str) -> Result<f64, ReadError> {
    let mut value = 0.0;
    if !element.real(name, &mut value)? {
        return Err(element.attribute_error(name, "required but not given"));
    }
    Ok(value)
}
