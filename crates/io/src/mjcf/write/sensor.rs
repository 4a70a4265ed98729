//! Writes sensors.

use super::xml::Xml;
use super::{word, words};
use crate::mjcf::custom::OBJECTS;
use crate::mjcf::names::{DATA_TYPES, REDUCTIONS, STAGES};
use crate::mjcf::sensor::KINDS;
use crate::mjcf::sensor::{CONTACT_DATA, RANGEFINDER_DATA};
use saltus_sim::model::kinds::{ObjectKind as O, SensorKind as K};
use saltus_sim::model::spec::SensorSpec;

pub(super) fn write(x: &mut Xml, sensors: &[SensorSpec]) {
    x.section("sensor", |x| sensors.iter().for_each(|s| sensor(x, s)));
}

fn sensor(x: &mut Xml, s: &SensorSpec) {
    x.element(word(KINDS, s.kind)).string("name", &s.name);
    let (object, name) = (s.object.0, s.object.1.as_str());
    let reference = s.reference.as_ref().map(|(kind, name)| (*kind, name.as_str()));
    match s.kind {
        K::Contact => {
            side(x, object, name, "1");
            if let Some((kind, name)) = reference {
                side(x, kind, name, "2");
            }
            x.string("data", &words(CONTACT_DATA, s.int_prm[0]))
                .string("reduce", word(REDUCTIONS, s.int_prm[1]))
                .integer("num", s.int_prm[2], 1);
        }
        K::GeomDist | K::GeomNormal | K::GeomFromTo => {
            side(x, object, name, "1");
            if let Some((kind, name)) = reference {
                side(x, kind, name, "2");
            }
        }
        K::Rangefinder => {
            x.string(word(OBJECTS, object), name).string("data", &words(RANGEFINDER_DATA, s.int_prm[0]));
        }
        K::CamProjection => {
            x.string("site", name).string("camera", reference.map_or("", |r| r.1));
        }
        K::InsideSite => {
            frame(x, ["objtype", "objname"], object, name);
            x.string("site", reference.map_or("", |r| r.1)).flag("enclosed", s.int_prm[0] != 0, false);
        }
        K::User => user(x, s),
        _ if (K::FramePos..=K::FrameAngAcc).contains(&s.kind) => {
            frame(x, ["objtype", "objname"], object, name);
            if let Some((kind, name)) = reference {
                frame(x, ["reftype", "refname"], kind, name);
            }
        }
        _ => {
            x.string(word(OBJECTS, object), name);
        }
    }
    x.real("cutoff", s.cutoff, 0.0).real("noise", s.noise, 0.0).numbers("user", &s.user).leaf();
}

fn frame(x: &mut Xml, attributes: [&str; 2], kind: O, name: &str) {
    x.string(attributes[0], word(OBJECTS, kind)).string(attributes[1], name);
}

/// One of the two sides of a contact or distance.
fn side(x: &mut Xml, kind: O, name: &str, number: &str) {
    let attribute = match kind {
        O::Site => "site".to_owned(),
        O::XBody => format!("subtree{number}"),
        _ => format!("{}{number}", word(OBJECTS, kind)),
    };
    x.string(&attribute, name);
}

fn user(x: &mut Xml, s: &SensorSpec) {
    if s.object.0 != O::Unknown {
        frame(x, ["objtype", "objname"], s.object.0, &s.object.1);
    }
    x.numbers("dim", [s.user_dim])
        .string("needstage", word(STAGES, s.user_stage))
        .string("datatype", word(DATA_TYPES, s.user_datatype));
}
