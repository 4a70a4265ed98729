//! Bodies, geoms and sites that other elements refer to by name.

use crate::model::kinds::{ObjectKind, SensorKind};
use crate::model::spec::{BodySpec, EqualityKind, ModelSpec, TendonPath, TransmissionSpec, WrapSpec};
use std::collections::HashSet;

/// Names that simplification must preserve.
#[derive(Debug, Default)]
pub(super) struct Referenced<'a> {
    pub bodies: HashSet<&'a str>,
    pub geoms: HashSet<&'a str>,
    /// Sites whose body must be preserved: force and torque sensors measure there.
    pub load_sites: HashSet<&'a str>,
}

impl<'a> Referenced<'a> {
    pub fn new(spec: &'a ModelSpec) -> Self {
        let mut all = Self::default();
        for body in &spec.bodies {
            all.add_targets(body);
        }
        for pair in &spec.pairs {
            all.geoms.extend([pair.geom1.as_str(), pair.geom2.as_str()]);
        }
        for exclude in &spec.excludes {
            all.bodies.extend([exclude.body1.as_str(), exclude.body2.as_str()]);
        }
        for equality in &spec.equalities {
            if let EqualityKind::ConnectBodies { body1, body2, .. } | EqualityKind::WeldBodies { body1, body2, .. } =
                &equality.kind
            {
                all.bodies.extend([body1.as_str(), body2.as_str()]);
            }
        }
        for tendon in &spec.tendons {
            let TendonPath::Spatial(path) = &tendon.path else { continue };
            for wrap in path {
                if let WrapSpec::Geom { geom, .. } = wrap {
                    all.geoms.insert(geom);
                }
            }
        }
        for actuator in &spec.actuators {
            if let TransmissionSpec::Body(body) = &actuator.transmission {
                all.bodies.insert(body);
            }
        }
        all.add_sensors(spec);
        for element in spec.tuples.iter().flat_map(|t| &t.elements) {
            all.add(element.kind, &element.name);
        }
        all
    }

    fn add(&mut self, kind: ObjectKind, name: &'a str) {
        match kind {
            ObjectKind::Body | ObjectKind::XBody => self.bodies.insert(name),
            ObjectKind::Geom => self.geoms.insert(name),
            _ => false,
        };
    }

    fn add_targets(&mut self, body: &'a BodySpec) {
        self.bodies.extend(body.cameras.iter().filter_map(|c| c.target.as_deref()));
        self.bodies.extend(body.lights.iter().filter_map(|l| l.target.as_deref()));
    }

    fn add_sensors(&mut self, spec: &'a ModelSpec) {
        for sensor in &spec.sensors {
            self.add(sensor.object.0, &sensor.object.1);
            if let Some((kind, name)) = &sensor.reference {
                self.add(*kind, name);
            }
            if matches!(sensor.kind, SensorKind::Force | SensorKind::Torque) {
                self.load_sites.insert(&sensor.object.1);
            }
        }
    }
}
