//! Lookup of objects by name: typed ids, names of ids, and errors for unknown names.

use super::Model;
use super::kinds::{ObjectKind, kind_name};
use super::spelling::closest;
use crate::ids::*;

/// A typed id of a kind of named objects.
pub trait NamedId: Copy {
    const KIND: ObjectKind;
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! named {
    ($($id:ident $kind:ident $method:ident),+ $(,)?) => {
        $(impl NamedId for $id {
            const KIND: ObjectKind = ObjectKind::$kind;
            fn from_index(index: usize) -> Self {
                Self::new(index)
            }
            fn index(self) -> usize {
                self.idx()
            }
        })+

        /// Methods that find objects by name.
        impl Model {
            $(
                #[doc = concat!("The ", stringify!($method), " with this name.")]
                pub fn $method(&self, name: &str) -> Result<$id, NoSuchName> {
                    self.id(name)
                }
            )+
        }
    };
}
named!(
    BodyId Body body,
    JointId Joint joint,
    GeomId Geom geom,
    SiteId Site site,
    CameraId Camera camera,
    LightId Light light,
    MeshId Mesh mesh,
    HfieldId Hfield hfield,
    TextureId Texture texture,
    MaterialId Material material,
    TendonId Tendon tendon,
    ActuatorId Actuator actuator,
    SensorId Sensor sensor,
    EqualityId Equality equality,
    KeyId Key key,
);

/// No object of the kind has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} {name:?}; {}", advice(.name, .kind, .known))]
pub struct NoSuchName {
    /// The kind of object: "body", "actuator", …
    pub kind: &'static str,
    pub name: String,
    /// The existing names.
    pub known: Vec<String>,
}

/// Maximum number of names that an error lists.
const LISTED: usize = 12;

fn advice(name: &str, kind: &str, known: &[String]) -> String {
    if known.is_empty() {
        return format!("no {kind} has a name");
    }
    if let Some(near) = closest(name, known.iter().map(String::as_str)) {
        return format!("did you mean {near:?}?");
    }
    let longer: Vec<&String> = known.iter().filter(|longer| !name.is_empty() && longer.contains(name)).collect();
    if !longer.is_empty() {
        return format!("did you mean one of {}?", list(&longer));
    }
    if let [only] = known {
        return format!("there is only {only:?}");
    }
    format!("there are {}", list(&known.iter().collect::<Vec<_>>()))
}

fn list(names: &[&String]) -> String {
    let listed: Vec<String> = names.iter().take(LISTED).map(|name| format!("{name:?}")).collect();
    let rest = names.len().saturating_sub(LISTED);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    listed.join(", ") + &more
}

impl Model {
    /// The id of the object of this type with this name: `let knee: JointId = model.id("knee")?`.
    pub fn id<I: NamedId>(&self, name: &str) -> Result<I, NoSuchName> {
        self.find(I::KIND, name).map(I::from_index).ok_or_else(|| self.no_such(I::KIND, name))
    }

    /// The name of an object; empty if it has none or does not belong to this model.
    pub fn name<I: NamedId>(&self, id: I) -> &str {
        self.names(I::KIND).get(id.index()).map_or("", String::as_str)
    }

    /// The mocap id of the body with this name.
    pub fn mocap(&self, name: &str) -> Result<MocapId, NoSuchName> {
        let mocap = &self.bodies.mocap;
        let found = self.find(ObjectKind::Body, name).and_then(|body| mocap[body]);
        found.map(MocapId).ok_or_else(|| {
            let known = self.bodies.name.iter().zip(mocap).filter(|(_, mocap)| mocap.is_some());
            NoSuchName {
                kind: "mocap body",
                name: name.into(),
                known: known.map(|(name, _)| name.clone()).filter(|name| !name.is_empty()).collect(),
            }
        })
    }

    /// Index of the object with this name; `None` for the empty name.
    pub fn find(&self, kind: ObjectKind, name: &str) -> Option<usize> {
        if name.is_empty() { None } else { self.names(kind).iter().position(|n| n == name) }
    }

    /// The error for a name that [`find`](Self::find) does not find.
    pub fn no_such(&self, kind: ObjectKind, name: &str) -> NoSuchName {
        let known = self.names(kind).iter().filter(|name| !name.is_empty()).cloned().collect();
        let kind = if kind == ObjectKind::Key { "keyframe" } else { kind_name(kind) };
        NoSuchName { kind, name: name.into(), known }
    }
}
