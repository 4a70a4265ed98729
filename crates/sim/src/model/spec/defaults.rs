//! Default classes: a tree of prototypes from which elements are cloned.

use super::{
    ActuatorDefault, CameraSpec, EqualityKind, EqualitySpec, GeomSpec, JointSpec, LightSpec, MaterialSpec, MeshSpec,
    PairSpec, SiteSpec, TendonPath, TendonSpec,
};
use serde::{Deserialize, Serialize};

/// Prototypes of one default class. New elements start as clones of these.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DefaultClass {
    /// Name; empty if it has none.
    pub name: String,
    /// Class whose values it starts from.
    pub parent: Option<usize>,
    /// Values for meshes.
    pub mesh: MeshSpec,
    /// Values for materials.
    pub material: MaterialSpec,
    /// Values for joints.
    pub joint: JointSpec,
    /// Values for geoms.
    pub geom: GeomSpec,
    /// Values for sites.
    pub site: SiteSpec,
    /// Values for cameras.
    pub camera: CameraSpec,
    /// Values for lights.
    pub light: LightSpec,
    /// Values for pairs.
    pub pair: PairSpec,
    /// Values for equalities.
    pub equality: EqualitySpec,
    /// Values for tendons.
    pub tendon: TendonSpec,
    /// Values for actuators.
    pub actuator: ActuatorDefault,
}

impl Default for DefaultClass {
    fn default() -> Self {
        Self {
            name: "main".into(),
            parent: None,
            mesh: MeshSpec::default(),
            material: MaterialSpec::default(),
            joint: JointSpec::default(),
            geom: GeomSpec::default(),
            site: SiteSpec::default(),
            camera: CameraSpec::default(),
            light: LightSpec::default(),
            pair: PairSpec::default(),
            equality: EqualitySpec::new(EqualityKind::ConnectSites { site1: String::new(), site2: String::new() }),
            tendon: TendonSpec::new("", TendonPath::Fixed(Vec::new())),
            actuator: ActuatorDefault::default(),
        }
    }
}

/// All default classes. The first is "main", the root.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Defaults {
    /// All classes; 0 is the main one.
    pub classes: Vec<DefaultClass>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { classes: vec![DefaultClass::default()] }
    }
}

impl Defaults {
    /// Index of the class with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.classes.iter().position(|c| c.name == name)
    }

    /// Adds a class that starts as a copy of `parent`; `None` if the name is taken.
    pub fn add(&mut self, name: impl Into<String>, parent: usize) -> Option<usize> {
        let name = name.into();
        if self.find(&name).is_some() {
            return None;
        }
        let class = DefaultClass { name, parent: Some(parent), ..self.classes[parent].clone() };
        self.classes.push(class);
        Some(self.classes.len() - 1)
    }
}
