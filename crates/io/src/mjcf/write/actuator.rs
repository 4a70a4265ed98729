//! Writes actuators, all in their general form.

use super::word;
use super::xml::Xml;
use crate::mjcf::names::{ACTIVATIONS, BIASES, GAINS, INPUTS};
use saltus_sim::model::spec::{ActuatorSpec, TransmissionSpec};

pub(super) fn write(x: &mut Xml, actuators: &[ActuatorSpec]) {
    x.section("actuator", |x| actuators.iter().for_each(|a| actuator(x, a)));
}

fn actuator(x: &mut Xml, a: &ActuatorSpec) {
    let d = ActuatorSpec::motor("", TransmissionSpec::Joint(String::new()));
    x.element("general").string("name", &a.name).integer("group", a.group, 0);
    transmission(x, &a.transmission);
    // The general form has no damping ratio: it is represented by a positive velocity gain in the
    // bias.
    let mut bias_prm = a.bias_prm;
    if let Some(ratio) = a.damping_ratio {
        bias_prm[2] = ratio;
    }
    let inputs: Vec<_> = INPUTS.iter().filter(|(_, bit)| a.inputs & bit != 0).map(|(w, _)| *w).collect();
    x.string("dyntype", word(ACTIVATIONS, a.activation))
        .string("gaintype", word(GAINS, a.gain))
        .string("biastype", word(BIASES, a.bias))
        .leading("dynprm", &a.activation_prm, &d.activation_prm)
        .leading("gainprm", &a.gain_prm, &d.gain_prm)
        .leading("biasprm", &bias_prm, &d.bias_prm)
        .numbers("actdim", a.activation_dim)
        .flag("actearly", a.activation_early, false)
        .real("inheritrange", a.inherit_range, 0.0)
        .string("input", &inputs.join(" "))
        .differing("velrange", &a.velocity_range, &[0.0; 2])
        .differing("ffrange", &a.feedforward_range, &[0.0; 2])
        .tristate("ctrllimited", a.ctrl_limited)
        .differing("ctrlrange", &a.ctrl_range, &[0.0; 2])
        .tristate("forcelimited", a.force_limited)
        .differing("forcerange", &a.force_range, &[0.0; 2])
        .tristate("actlimited", a.activation_limited)
        .differing("actrange", &a.activation_range, &[0.0; 2])
        .differing("lengthrange", &a.length_range, &[0.0; 2])
        .leading("gear", &a.gear, &d.gear)
        .leading("damping", &a.damping, &d.damping)
        .real("armature", a.armature, 0.0)
        .real("cranklength", a.crank_length, 0.0)
        .numbers("user", &a.user)
        .leaf();
}

fn transmission(x: &mut Xml, t: &TransmissionSpec) {
    match t {
        TransmissionSpec::Joint(joint) => x.string("joint", joint),
        TransmissionSpec::JointInParent(joint) => x.string("jointinparent", joint),
        TransmissionSpec::Tendon(tendon) => x.string("tendon", tendon),
        TransmissionSpec::SliderCrank { slider_site, crank_site } => {
            x.string("slidersite", slider_site).string("cranksite", crank_site)
        }
        TransmissionSpec::Site { site, ref_site } => x.string("site", site).option("refsite", ref_site),
        TransmissionSpec::Body(body) => x.string("body", body),
    };
}
