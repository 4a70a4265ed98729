//! Actuator shortcuts, reduced as the reference engine shows them after compilation.

use saltus_io::mjcf::read_str;
use saltus_sim::model::kinds::{ActivationKind as D, BiasKind as B, GainKind as G};
use saltus_sim::model::spec::{ActuatorSpec, TransmissionSpec};
use std::collections::BTreeMap;

fn read(defaults: &str, actuator: &str) -> ActuatorSpec {
    let xml = format!("<mujoco><default>{defaults}</default><actuator>{actuator}</actuator></mujoco>");
    read_str(&xml, &BTreeMap::new()).unwrap().actuators.remove(0)
}

/// Types, then the first numbers of dynamics, gain and bias.
fn check(defaults: &str, actuator: &str, kinds: (D, G, B), prm: [&[f64]; 3]) {
    let a = read(defaults, actuator);
    assert_eq!((a.activation, a.gain, a.bias), kinds, "{actuator}");
    for (ours, expected) in [a.activation_prm, a.gain_prm, a.bias_prm].into_iter().zip(prm) {
        assert_eq!(&ours[..expected.len()], expected, "{defaults} {actuator}");
        assert!(ours[expected.len()..].iter().all(|x| *x == 0.0), "{defaults} {actuator}");
    }
}

const MUSCLE: [f64; 9] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2];

#[test]
fn shortcuts_alone() {
    let motor = (D::None, G::Fixed, B::None);
    let servo = (D::None, G::Fixed, B::Affine);
    check("", "<motor joint='j'/>", motor, [&[1.0], &[1.0], &[]]);
    check("", "<position joint='j' kp='3' kv='2'/>", servo, [&[1.0], &[3.0], &[0.0, -3.0, -2.0]]);
    check("", "<velocity joint='j' kv='3'/>", servo, [&[1.0], &[3.0], &[0.0, 0.0, -3.0]]);
    let filtered = (D::FilterExact, G::Fixed, B::Affine);
    check("", "<position joint='j' timeconst='.1'/>", filtered, [&[0.1], &[1.0], &[0.0, -1.0]]);
    let integrated = (D::Integrator, G::Fixed, B::Affine);
    check("", "<intvelocity joint='j' kp='3' kv='1'/>", integrated, [&[1.0], &[3.0], &[0.0, -3.0, -1.0]]);
    check(
        "",
        "<damper joint='j' kv='2' ctrlrange='0 1'/>",
        (D::None, G::Affine, B::None),
        [&[1.0], &[0.0, 0.0, -2.0], &[]],
    );
    check(
        "",
        "<cylinder joint='j' timeconst='2' area='3' bias='1 2 3'/>",
        (D::Filter, G::Fixed, B::Affine),
        [&[2.0], &[3.0], &[1.0, 2.0, 3.0]],
    );
    check("", "<muscle joint='j'/>", (D::Muscle, G::Muscle, B::Muscle), [&[0.01, 0.04], &MUSCLE, &MUSCLE]);
    check("", "<adhesion body='b' gain='5' ctrlrange='0 1'/>", motor, [&[1.0], &[5.0], &[]]);
    check(
        "",
        "<pid joint='j' kp='3' kv='2' ki='4' imax='5' slewmax='6'/>",
        (D::Pid, G::Pid, B::Affine),
        [&[5.0, 6.0], &[4.0], &[0.0, -3.0, -2.0]],
    );
}

#[test]
fn force_laws_pass_to_the_same_shortcut_and_to_and_from_general() {
    let servo = (D::None, G::Fixed, B::Affine);
    let position = "<position kp='5' kv='2'/>";
    check(position, "<position joint='j' kp='3'/>", servo, [&[1.0], &[3.0], &[0.0, -3.0, -2.0]]);
    check(position, "<velocity joint='j'/>", servo, [&[1.0], &[1.0], &[0.0, 0.0, -1.0]]);
    check(position, "<general joint='j'/>", servo, [&[1.0], &[5.0], &[0.0, -5.0, -2.0]]);
    let general = "<general gainprm='7' biastype='affine' biasprm='1 -2 -3' dynprm='5'/>";
    check(general, "<position joint='j'/>", servo, [&[1.0], &[7.0], &[0.0, -7.0, -3.0]]);
    check(general, "<motor joint='j'/>", (D::None, G::Fixed, B::None), [&[1.0], &[1.0], &[]]);
    check(general, "<muscle joint='j'/>", (D::Muscle, G::Muscle, B::Muscle), [&[0.01, 0.04], &MUSCLE, &MUSCLE]);
}

#[test]
fn common_settings_pass_between_all_actuators() {
    let a = read("<general gear='3' ctrlrange='-1 1'/><motor gear='5'/>", "<velocity joint='j'/>");
    assert_eq!((a.gear[0], a.ctrl_range), (5.0, [-1.0, 1.0]));
    let a = read("<general gear='2 3'/>", "<motor joint='j' gear='7'/>");
    assert_eq!(a.gear[..2], [7.0, 3.0]);
}

#[test]
fn damping_ratios_are_left_to_the_compiler() {
    let a = read("<position kv='2'/>", "<position joint='j' kp='7' dampratio='1'/>");
    assert_eq!((a.damping_ratio, a.bias_prm[2]), (Some(1.0), 0.0));
    let a = read("<position dampratio='1'/>", "<position joint='j' kv='5'/>");
    assert_eq!((a.damping_ratio, a.bias_prm[2]), (None, -5.0));
    let a = read("", "<general joint='j' gainprm='7' biastype='affine' biasprm='0 -7 1'/>");
    assert_eq!(a.damping_ratio, Some(1.0));
    let a = read("", "<general joint='j' gainprm='7' biastype='affine' biasprm='0 -6 1'/>");
    assert_eq!((a.damping_ratio, a.bias_prm[2]), (None, 1.0));
}

#[test]
fn inherited_ranges_and_given_ranges_replace_each_other() {
    let a = read("<position ctrlrange='-1 1'/>", "<position joint='j' inheritrange='1'/>");
    assert_eq!((a.inherit_range, a.ctrl_range), (1.0, [0.0, 0.0]));
    let a = read("<position inheritrange='1'/>", "<position joint='j' ctrlrange='-2 2'/>");
    assert_eq!((a.inherit_range, a.ctrl_range), (0.0, [-2.0, 2.0]));
    let a = read("", "<intvelocity joint='j' inheritrange='1' ctrlrange='-1 1'/>");
    assert_eq!((a.inherit_range, a.ctrl_range), (1.0, [-1.0, 1.0]));
}

#[test]
fn pid_inputs_are_bits() {
    assert_eq!(read("", "<pid joint='j'/>").inputs, 3);
    assert_eq!(read("", "<pid joint='j' input='pos ff'/>").inputs, 5);
    assert_eq!(read("<pid input='vel'/>", "<pid joint='j'/>").inputs, 2);
    assert_eq!(read("", "<position joint='j'/>").inputs, 1);
    assert_eq!(read("", "<motor joint='j'/>").inputs, 0);
    let a = read("", "<pid joint='j' posrange='-1 1' velrange='-2 2' ffrange='-3 3'/>");
    assert_eq!((a.ctrl_range, a.velocity_range, a.feedforward_range), ([-1.0, 1.0], [-2.0, 2.0], [-3.0, 3.0]));
}

#[test]
fn transmissions() {
    let crank = read("", "<motor cranksite='c' slidersite='s' cranklength='2'/>");
    assert!(matches!(crank.transmission, TransmissionSpec::SliderCrank { ref crank_site, .. } if crank_site == "c"));
    assert_eq!(crank.crank_length, 2.0);
    let site = read("", "<motor site='s' refsite='r'/>");
    assert!(matches!(site.transmission, TransmissionSpec::Site { ref_site: Some(ref r), .. } if r == "r"));
}

#[test]
fn differences_by_controls_respect_the_range_of_each_control() {
    let xml = "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator>
        <pid joint='j' kp='1' kv='1' posrange='-2 2' velrange='-3 3'/><motor joint='j' ctrlrange='-5 5'/></actuator></mujoco>";
    let model = saltus_sim::compile(&saltus_io::read_str(xml, &Default::default()).unwrap()).unwrap();
    let mut data = saltus_sim::Data::new(&model);
    // Within its own range, outside of that of the servo's second control.
    data.input.ctrl[2] = 4.0;
    let mut by_control = vec![0.0; (2 * model.size.nv + model.size.na) * model.size.nu];
    let out = saltus_sim::finite_difference::Transition { B: Some(&mut by_control), ..Default::default() };
    saltus_sim::finite_difference::transition(&model, &data, 1e-6, true, out).unwrap();
    let row = &by_control[model.size.nu * model.size.nv..][..3];
    assert!(row.iter().all(|x| *x > 1e-9), "{row:?}");
}
