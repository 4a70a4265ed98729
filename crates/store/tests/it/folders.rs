//! What is saved loads again, whole.

use crate::common::{HOP, Place, SPIN, TROT, assert_same, refusal};
use saltus_opt::problem::identity::TermId;
use saltus_opt::problem::rows::Part;
use saltus_opt::result::plan::Violation;
use saltus_opt::solve::report::{Clearance, Flaw, Quantity, Status};
use saltus_store::{StoreError, StoredPlan, table};

#[test]
fn a_saved_plan_loads_again() {
    let place = Place::new("again");
    for (name, stored) in [("spin", &*SPIN), ("hop", &HOP), ("trot", &TROT)] {
        assert!(!stored.plan.motion.contacts.concat().is_empty(), "{name} has contacts");
        let folder = place.0.join(name);
        stored.save(&folder).unwrap();
        let again = StoredPlan::load(&folder).unwrap();
        assert_same(&again, stored);
        assert!(again.planning == stored.planning && again.own == stored.own && again.task_text == stored.task_text);
        // Files of a plan that was loaded are those of the plan.
        let copy = place.0.join("copy");
        again.save(&copy).unwrap();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let file = entry.unwrap().file_name();
            let bytes = |folder: &std::path::Path| std::fs::read(folder.join(&file)).unwrap();
            assert!(bytes(&folder) == bytes(&copy), "{name}: {file:?}");
        }
    }
}

#[test]
fn every_status_keeps_its_numbers() {
    let place = Place::new("status");
    let constraint = TermId::AtPlace("tip".into());
    let clearance = Clearance {
        distance: -0.1 / 3.0,
        time: 0.7,
        shapes: ["finger".into(), "geom 3".into()],
        bodies: ["hand".into(), "world".into()],
    };
    let derivative = Quantity::Derivative { row: 2, part: Part::Tau, dof: 1 };
    for status in [
        Status::Converged,
        Status::Limit,
        Status::Short { reached: 1.0 / 3.0 },
        Status::Infeasible { constraint, violation: 0.1 + 0.2, allowed: 1e-5 },
        Status::Invalid { flaw: None },
        Status::Invalid { flaw: Some(Flaw { term: None, state: 3, time: 0.1, what: Quantity::Gradient }) },
        Status::Invalid { flaw: Some(Flaw { term: Some("mine".into()), state: 0, time: 0.0, what: derivative }) },
        Status::Collides { clearance, allowed: 0.003 },
        Status::Coarse { error: 0.7, allowed: 0.25 },
        Status::Stopped,
    ] {
        let mut stored = SPIN.clone();
        stored.plan.status = status.clone();
        stored.save(place.0.join("plan")).unwrap();
        assert_eq!(StoredPlan::load(place.0.join("plan")).unwrap().plan.status, status);
    }
}

#[test]
fn terms_keep_their_order_and_may_have_one_name() {
    let (place, mut stored) = (Place::new("terms"), SPIN.clone());
    let plan = &mut stored.plan;
    plan.terms = ["b, c", "a", "a", "line\nbreak"].map(TermId::from).to_vec();
    plan.cost_by_term = vec![1.0, f64::INFINITY, 3.0, 4.0];
    plan.history.iter_mut().for_each(|i| i.cost_by_term = vec![i.cost, 1.0, f64::NAN, f64::NEG_INFINITY]);
    plan.violations = [3.0, 1.0].map(|largest| Violation { constraint: "a".into(), largest }).to_vec();
    stored.save(place.0.join("plan")).unwrap();
    // In the summary a number that is not finite is null, which is read as NaN.
    stored.plan.cost_by_term[1] = f64::NAN;
    assert_same(&StoredPlan::load(place.0.join("plan")).unwrap(), &stored);
}

#[test]
fn numbers_of_arrays_need_not_be_finite() {
    let (place, mut stored) = (Place::new("infinite"), SPIN.clone());
    stored.plan.motion.tau[3] = f64::NAN;
    stored.plan.verdicts[2].least_gap = f64::INFINITY;
    stored.plan.step_errors[1] = f64::INFINITY;
    stored.plan.history[0].merit = f64::NEG_INFINITY;
    stored.save(place.0.join("plan")).unwrap();
    assert_same(&StoredPlan::load(place.0.join("plan")).unwrap(), &stored);
}

#[test]
fn a_plan_without_anything_recorded_loads_again() {
    let (place, mut stored) = (Place::new("nothing"), SPIN.clone());
    let plan = &mut stored.plan;
    plan.motion.gains.clear();
    plan.motion.contacts.iter_mut().for_each(Vec::clear);
    plan.verdicts.clear();
    plan.step_errors.clear();
    plan.history.clear();
    plan.path.clear();
    stored.save(place.0.join("plan")).unwrap();
    assert_same(&StoredPlan::load(place.0.join("plan")).unwrap(), &stored);
}

#[test]
fn more_files_are_part_of_the_same_step() {
    let place = Place::new("more");
    let folder = place.0.join("plan");
    let picture = |stored: &StoredPlan| Ok::<_, StoreError>(vec![(format!("{}.svg", stored.plan.name), vec![1, 2])]);
    SPIN.save_with(&folder, picture).unwrap();
    assert_eq!(std::fs::read(folder.join("spin.svg")).unwrap(), [1, 2]);
    let failing = |_: &StoredPlan| Err(StoreError::Place("no ink".into()));
    assert_eq!(HOP.save_with(&folder, failing).unwrap_err().to_string(), "no ink");
    assert_eq!(StoredPlan::load(&folder).unwrap().plan.name, "spin", "the older result is still there");
    HOP.save(&folder).unwrap();
    assert_eq!(StoredPlan::load(&folder).unwrap().plan.name, "hop");
    assert!(!folder.join("spin.svg").exists(), "nothing is left of the older result");
    assert_eq!(std::fs::read_dir(&place.0).unwrap().count(), 1, "nothing temporary is left");
}

#[test]
fn places_of_other_things_are_refused() {
    let place = Place::new("places");
    std::fs::write(place.0.join("file"), "").unwrap();
    let message = |name: &str| SPIN.save(place.0.join(name)).unwrap_err().to_string();
    assert!(message("file").ends_with("file exists and is not a folder"));
    assert!(message("file/result").contains("cannot create the folder"));
    assert!(SPIN.save(&place.0).unwrap_err().to_string().contains("is not a result and will not be replaced"));
    assert!(refusal(&place.0.join("nowhere")).contains("nowhere is not a result: cannot read summary.json"));
}

#[test]
fn the_arrays_are_those_of_numpy() {
    let place = Place::new("arrays");
    let folder = place.0.join("plan");
    SPIN.save(&folder).unwrap();
    let arrays = table::read(&folder.join("trajectory.npz")).unwrap();
    let names: Vec<&str> = arrays.iter().map(|a| a.name.as_str()).collect();
    let expected = [
        "time",
        "q",
        "v",
        "a",
        "u",
        "tau",
        "gains",
        "contact_offset",
        "contact_step",
        "contact_body",
        "contact_other",
        "contact_point",
        "contact_force",
        "contact_normal",
        "contact_gap",
        "verdict",
        "verdict_contacts",
        "verdict_least_gap",
        "step_error",
    ];
    assert_eq!(names, expected);
}
