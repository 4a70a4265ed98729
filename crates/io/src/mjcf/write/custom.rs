//! Writes user data and keyframes.

use super::word;
use super::xml::Xml;
use crate::mjcf::custom::OBJECTS;
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{CompilerSpec, KeySpec, TupleSpec};
use saltus_sim::options::Integrator;
use saltus_sim::options::law::LawOptions;

pub(super) fn write(x: &mut Xml, spec: &ModelSpec) {
    x.section("custom", |x| {
        for n in &spec.numerics {
            x.element("numeric").string("name", &n.name).numbers("size", [n.size]).numbers("data", &n.data).leaf();
        }
        for t in &spec.texts {
            x.element("text").string("name", &t.name).string("data", &t.data).leaf();
        }
        let own = word(Integrator::OWN, spec.options.integrator);
        if !own.is_empty() && !spec.texts.iter().any(|t| t.name == Integrator::TEXT) {
            x.element("text").string("name", Integrator::TEXT).string("data", own).leaf();
        }
        if spec.compiler.inertia_as_given {
            let (name, word) = CompilerSpec::INERTIA_TEXT;
            x.element("text").string("name", name).string("data", word).leaf();
        }
        laws(x, spec);
        spec.tuples.iter().for_each(|t| tuple(x, t));
    });
    x.section("keyframe", |x| spec.keys.iter().for_each(|k| key(x, k)));
}

/// Settings of contact laws that differ from the default and are not represented by other elements.
fn laws(x: &mut Xml, spec: &ModelSpec) {
    let (own, default) = (&spec.options.laws, LawOptions::default());
    for setting in LawOptions::WORDS {
        let name = format!("{}{}", LawOptions::PREFIX, setting.name);
        let word = own.word(setting.name).filter(|w| default.word(setting.name) != Some(w));
        if let (Some(word), false) = (word, spec.texts.iter().any(|t| t.name == name)) {
            x.element("text").string("name", &name).string("data", word).leaf();
        }
    }
    for setting in LawOptions::NUMBERS {
        let name = format!("{}{}", LawOptions::PREFIX, setting.name);
        let number = own.number(setting.name).filter(|n| default.number(setting.name) != Some(*n));
        if let (Some(number), false) = (number, spec.numerics.iter().any(|n| n.name == name)) {
            x.element("numeric").string("name", &name).numbers("size", [1]).numbers("data", [number]).leaf();
        }
    }
}

fn tuple(x: &mut Xml, t: &TupleSpec) {
    x.element("tuple").string("name", &t.name).open();
    for e in &t.elements {
        x.element("element")
            .string("objtype", word(OBJECTS, e.kind))
            .string("objname", &e.name)
            .real("prm", e.prm, 0.0)
            .leaf();
    }
    x.close("tuple");
}

fn key(x: &mut Xml, k: &KeySpec) {
    x.element("key")
        .string("name", &k.name)
        .real("time", k.time, 0.0)
        .numbers("qpos", &k.qpos)
        .numbers("qvel", &k.qvel)
        .numbers("act", &k.act)
        .numbers("ctrl", &k.ctrl)
        .numbers("mpos", k.mocap_pos.iter().flat_map(|p| p.to_array()))
        .numbers("mquat", k.mocap_quat.iter().flat_map(|q| q.to_array()))
        .leaf();
}
