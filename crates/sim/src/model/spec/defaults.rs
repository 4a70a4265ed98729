//! Default classes: a tree of prototypes from which elements are cloned.

use super::{
    ActuatorDefault, CameraSpec, EqualityKind, EqualitySpec, GeomSpec, JointSpec, LightSpec, MaterialSpec, MeshSpec,
    PairSpec, SiteSpec, TendonPath, TendonSpec,
};
use serde::{Deserialize, Serialize};

/// Prototypes of one default class. New elements start as clones of these.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DefaultClass {
    pub name: String,
    pub parent: Option<usize>,
    pub mesh: MeshSpec,
    pub material: MaterialSpec,
    pub joint: JointSpec,
    pub geom: GeomSpec,
    pub site: SiteSpec,
    pub camera: CameraSpec,
    pub light: LightSpec,
    pub pair: PairSpec,
    pub equality: EqualitySpec,
    pub tendon: TendonSpec,
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
