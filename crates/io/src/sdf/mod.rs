//! SDF reader. SDF is the format of Gazebo; links and joints are read as in URDF.
//!
//! Poses may be given relative to any link, joint or frame. A link without a parent joint floats,
//! unless its model is static. A link without `inertial` has a mass of 1 kg and moments of inertia
//! of 1 kg m², as SDF specifies. Visuals, sensors, lights and plugins are ignored. The friction of
//! a collision is its first friction coefficient. Links of a model collide as in URDF.

mod frames;
mod joint;
mod link;
mod value;

use crate::error::ReadError;
use crate::source::{self, Source};
use crate::urdf;
use crate::xml::{Element, Tree};
use frames::{Frames, MODEL};
use joint::Context;
use saltus_math::Vec3;
use saltus_sim::ModelSpec;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::model::spec::{BASE_JOINT, CompilerSpec, JointSpec, SpecBody};
use std::collections::BTreeMap;
use std::path::Path;
use urdf::only;
use value::{flag_or, numbers, pose, real_or, required};

/// Reads an SDF file and the meshes that it refers to.
pub fn read_file(path: impl AsRef<Path>) -> Result<ModelSpec, ReadError> {
    source::read_model(path.as_ref(), read)
}

/// Reads SDF text. Meshes are taken from `assets` only.
pub fn read_str(xml: &str, assets: &BTreeMap<String, Vec<u8>>) -> Result<ModelSpec, ReadError> {
    read(&Source::memory(assets), "", xml)
}

pub(crate) fn read(source: &Source, name: &str, text: &str) -> Result<ModelSpec, ReadError> {
    let tree = Tree::load(source, name, text)?;
    let root = tree.root();
    if root.tag() != "sdf" {
        return Err(root.error("an SDF file has the root element sdf"));
    }
    let compiler = CompilerSpec { fuse_static: true, inertia_as_given: true, ..CompilerSpec::default() };
    let mut spec = ModelSpec { compiler, ..ModelSpec::default() };
    let worlds: Vec<_> = root.all("world").collect();
    worlds.iter().try_for_each(|w| world(*w, &mut spec))?;
    let models: Vec<_> = root.all("model").chain(worlds.iter().flat_map(|w| w.all("model"))).collect();
    let places = std::iter::once(root).chain(worlds.iter().copied()).chain(models.iter().copied());
    let mut includes = places.flat_map(|p| p.all("include"));
    if let Some(element) = includes.next() {
        return Err(element.error("include is not supported; insert the model itself"));
    }
    let Some(first) = models.first() else { return Err(root.error("expected an element model")) };
    first.string("name", &mut spec.name);
    let robot = urdf::Reader::new(source, spec, urdf::extension::Settings::default());
    let mut reader = Reader { robot, prefix: String::new(), old_axes: is_before_1_5(root) };
    for model in &models {
        if models.len() > 1 {
            reader.prefix = format!("{}::", model.required("name")?);
        }
        reader.model(*model)?;
    }
    Ok(reader.robot.spec)
}

/// Whether the version of the file is older than 1.5. (1.11 is the eleventh minor version after
/// 1.0.)
fn is_before_1_5(root: Element) -> bool {
    let mut parts =
        root.text("version").unwrap_or_default().split('.').map(|part| part.parse::<u32>().unwrap_or(u32::MAX));
    let (major, minor) = (parts.next().unwrap_or(u32::MAX), parts.next().unwrap_or(0));
    major < 1 || (major == 1 && minor < 5)
}

/// Reads gravity and the time step of a world.
fn world(world: Element, spec: &mut ModelSpec) -> Result<(), ReadError> {
    if let Some(gravity) = only(world, "gravity")? {
        spec.options.gravity = Vec3::from_array(numbers(gravity)?);
    }
    if let Some(physics) = world.all("physics").next() {
        spec.options.timestep = real_or(physics, "max_step_size", spec.options.timestep)?;
    }
    Ok(())
}

/// The model as read so far.
struct Reader<'a> {
    robot: urdf::Reader<'a>,
    /// Prefix of the names of links: the name of the model, if the file has several.
    prefix: String,
    /// Whether joint axes are in the model frame by default, as before version 1.5.
    old_axes: bool,
}

/// A joint and its parent link.
#[derive(Clone, Copy)]
struct Hold<'t> {
    joint: Element<'t>,
    /// `None` for the world.
    parent: Option<usize>,
}

impl Reader<'_> {
    fn full_name(&self, link: Element) -> Result<String, ReadError> {
        Ok(format!("{}{}", self.prefix, link.required("name")?))
    }

    fn model<'t>(&mut self, model: Element<'t>) -> Result<(), ReadError> {
        if let Some(inner) = model.all("model").next() {
            return Err(inner.error("models inside models are not supported"));
        }
        let frames = Frames::read(model)?;
        let is_static = flag_or(model, "static", false)?;
        let links: Vec<_> = model.all("link").collect();
        let holds = if is_static { vec![None; links.len()] } else { holds(model, &links, &frames)? };
        let mut children = vec![Vec::new(); links.len()];
        for (i, hold) in holds.iter().enumerate() {
            if let Some(parent) = hold.and_then(|h| h.parent) {
                children[parent].push(i);
            }
        }
        let placed = pose(model)?;
        let mut handles: Vec<Option<SpecBody>> = vec![None; links.len()];
        let roots = (0..links.len()).filter(|l| holds[*l].and_then(|h| h.parent).is_none());
        let mut stack: Vec<usize> = roots.collect();
        stack.reverse();
        while let Some(l) = stack.pop() {
            let link = links[l];
            let name = link.required("name")?;
            let mut body = self.link(link)?;
            let parent = holds[l].and_then(|h| h.parent);
            let base = parent.map_or(Ok(MODEL.to_owned()), |p| links[p].required("name"))?;
            let mut at = frames.pose_in(link, &name, &base)?;
            if parent.is_none() {
                at = placed.then(at);
            }
            (body.pos, body.quat) = (at.pos, at.quat);
            match holds[l] {
                Some(hold) => {
                    let own = hold.joint.required("name")?;
                    let axes_in = if self.axes_of_model(hold.joint)? { MODEL } else { own.as_str() };
                    body.joints = self.joints(hold.joint, &Context { frames: &frames, child: &name, axes_in })?;
                }
                None if !is_static => body.joints.push(self.free_joint(link)),
                None => {}
            }
            let above = parent.and_then(|p| handles[p]).unwrap_or(self.robot.spec.world());
            handles[l] = Some(self.robot.spec.add_body(above, body));
            stack.extend(children[l].iter().rev());
        }
        if let Some(l) = handles.iter().position(Option::is_none) {
            return Err(links[l].error("the joints above this link form a loop"));
        }
        if is_static { Ok(()) } else { self.mimics(model) }
    }

    /// Whether the axes of a joint are in the frame of the model by default.
    fn axes_of_model(&self, joint: Element) -> Result<bool, ReadError> {
        only(joint, "axis")?.map_or(Ok(false), |axis| flag_or(axis, "use_parent_model_frame", self.old_axes))
    }

    fn free_joint(&self, link: Element) -> JointSpec {
        let taken = self.robot.spec.bodies.iter().flat_map(|b| &b.joints).any(|j| j.name == BASE_JOINT);
        let name = if taken { String::new() } else { BASE_JOINT.to_owned() };
        JointSpec { name, kind: JointKind::Free, place: link.place(), ..JointSpec::default() }
    }
}

/// The parent joint of each link, if any.
fn holds<'t>(
    model: Element<'t>,
    links: &[Element<'t>],
    frames: &Frames<'t>,
) -> Result<Vec<Option<Hold<'t>>>, ReadError> {
    let index: BTreeMap<&str, usize> =
        links.iter().enumerate().filter_map(|(i, l)| Some((l.text("name")?, i))).collect();
    let mut holds = vec![None; links.len()];
    for joint in model.all("joint") {
        let end = |tag: &'t str| -> Result<Option<usize>, ReadError> {
            let element = required(joint, tag)?;
            let link = frames.link(element, element.content())?;
            Ok(link.and_then(|name| index.get(name).copied()))
        };
        let Some(child) = end("child")? else {
            return Err(joint.error("the child of the joint is the world; exchange parent and child"));
        };
        let hold = Hold { joint, parent: end("parent")? };
        if holds[child].replace(hold).is_some() {
            let name = links[child].text("name").unwrap_or_default();
            return Err(joint.error(format!("link {name:?} already has a parent joint; only trees are supported")));
        }
    }
    Ok(holds)
}
