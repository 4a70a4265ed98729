//! The frames of a model: links, joints and `frame` elements, each given relative to another one.

use super::value::pose;
use crate::error::ReadError;
use crate::urdf::only;
use crate::xml::Element;
use saltus_math::Vec3;
use saltus_sim::model::spec::Pose;
use std::collections::BTreeMap;

/// Name of the model's own frame.
pub(super) const MODEL: &str = "__model__";

struct Frame<'t> {
    element: Element<'t>,
    pose: Pose,
    /// Frame in which the pose is given; none for the model's own.
    base: Option<String>,
    /// What it moves with: itself for a link.
    attached: String,
}

/// Frames by name.
pub(super) struct Frames<'t> {
    frames: BTreeMap<String, Frame<'t>>,
}

impl<'t> Frames<'t> {
    pub(super) fn read(model: Element<'t>) -> Result<Self, ReadError> {
        let mut frames = BTreeMap::new();
        let own = Frame { element: model, pose: Pose::default(), base: None, attached: MODEL.into() };
        frames.insert(MODEL.to_owned(), own);
        for element in model.children().filter(|e| matches!(e.tag(), "link" | "joint" | "frame")) {
            let name = element.required("name")?;
            let attached = match element.tag() {
                "link" => name.clone(),
                "joint" => only(element, "child")?.map(|c| c.content().to_owned()).unwrap_or_default(),
                _ => element.text("attached_to").unwrap_or(MODEL).to_owned(),
            };
            let given = only(element, "pose")?.and_then(|p| p.text("relative_to"));
            let base = given.unwrap_or(if element.tag() == "link" { MODEL } else { attached.as_str() }).to_owned();
            let frame = Frame { element, pose: pose(element)?, base: Some(base), attached };
            if frames.insert(name, frame).is_some() {
                return Err(element.attribute_error("name", "another link, joint or frame has the same name"));
            }
        }
        Ok(Self { frames })
    }

    fn get(&self, user: Element, name: &str) -> Result<&Frame<'t>, ReadError> {
        self.frames.get(name).ok_or_else(|| user.error(format!("there is no link, joint or frame {name:?}")))
    }

    /// Names from a frame up to the model's.
    fn chain<'a>(&'a self, user: Element, name: &'a str) -> Result<Vec<&'a str>, ReadError> {
        let mut names = vec![name];
        let mut frame = self.get(user, name)?;
        while let Some(base) = &frame.base {
            if names.len() > self.frames.len() {
                return Err(frame.element.error("its pose is given relative to itself, through other frames"));
            }
            names.push(base);
            frame = self.get(frame.element, base)?;
        }
        Ok(names)
    }

    /// Pose of the frame `name` in the frame `base`. Frames above both take no part, so that a pose
    /// that is given in `base` stays as it is written.
    pub(super) fn pose_in(&self, user: Element, name: &str, base: &str) -> Result<Pose, ReadError> {
        let (from, to) = (self.chain(user, base)?, self.chain(user, name)?);
        let shared = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a == b).count();
        let below = |names: &[&str]| -> Result<Pose, ReadError> {
            let mut whole = Pose::default();
            for name in names[..names.len() - shared].iter().rev() {
                whole = whole.then(self.get(user, name)?.pose);
            }
            Ok(whole)
        };
        let (outer, inner) = (below(&from)?, below(&to)?);
        if outer == Pose::default() {
            return Ok(inner);
        }
        let back = outer.quat.conj();
        let inverse = Pose::new(-back.rotate(outer.pos), back);
        Ok(inverse.then(inner))
    }

    /// A direction given in the frame `from`, in the frame `to`.
    pub(super) fn direction(&self, user: Element, d: Vec3, from: &str, to: &str) -> Result<Vec3, ReadError> {
        let pose = self.pose_in(user, from, to)?;
        Ok(if pose == Pose::default() { d } else { pose.quat.rotate(d) })
    }

    /// The link that a link, joint or frame moves with; `None` for the world.
    pub(super) fn link<'a>(&'a self, user: Element, name: &'a str) -> Result<Option<&'a str>, ReadError> {
        let mut at = name;
        for _ in 0..=self.frames.len() {
            if at == "world" {
                return Ok(None);
            }
            let frame = self.get(user, at)?;
            if frame.element.tag() == "link" {
                return Ok(Some(at));
            }
            if at == MODEL {
                return Err(user.error("a joint cannot hold the frame of the model; name a link"));
            }
            at = &frame.attached;
        }
        Err(user.error(format!("frame {name:?} is attached to itself, through other frames")))
    }
}
