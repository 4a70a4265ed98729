//! Folders of format 1 are read.
//!
//! The folder `data/format1` was written by the first version that wrote such folders: the task
//! `spin`, 30 iterations. Its `plan_model.smb` is a binary model; when their format changes, the
//! file is written anew, and the others stay as they are.

use crate::common::{HOP, Place, SPIN, TROT, assert_same};
use saltus_opt::problem::identity::TermId;
use saltus_opt::solve::report::Status;
use saltus_store::table::{self, Format};
use saltus_store::{StoredPlan, table::Array};
use serde_json::Value;
use std::path::Path;

#[test]
fn a_folder_of_format_1_loads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format1");
    let stored = StoredPlan::load(&folder).unwrap();
    let plan = &stored.plan;
    let summary: Value = serde_json::from_slice(&std::fs::read(folder.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["format"], 1);
    assert_eq!((plan.name.as_str(), plan.motion.steps, plan.iterations), ("spin", 41, 30));
    assert_eq!(plan.status.to_string(), summary["message"]);
    assert!(matches!(plan.status, Status::Infeasible { .. } | Status::Short { .. } | Status::Limit), "{}", plan.status);
    assert_eq!((plan.verdicts.len(), plan.step_errors.len(), plan.terms.len()), (40, 40, plan.cost_by_term.len()));
    let number = |value: &Value| value.as_f64().unwrap();
    let close = |found: f64, expected: &Value| (found - number(expected)).abs() <= 1e-9 * number(expected).abs();
    assert!(close(plan.step_error().1, &summary["step_error"]["max"]), "computed anew: {:?}", plan.step_error());
    assert!(close(plan.cost_by_term.iter().sum(), &summary["cost"]));
    assert_eq!(plan.law_independent_residual().1, number(&summary["law_independent_residual"]["max"]));
    assert_eq!(plan.violations.len(), summary["violations"].as_object().unwrap().len());
    assert!(!plan.history.is_empty() && !plan.path.is_empty() && plan.motion.contacts.concat().len() > 1);
    // Saved again it has format 2, and is the same plan.
    let place = Place::new("newer");
    stored.save(place.0.join("plan")).unwrap();
    assert_same(&StoredPlan::load(place.0.join("plan")).unwrap(), &stored);
}

/// Takes what format 1 lacks out of a folder.
fn make_older(folder: &Path) {
    let (summary, trajectory) = (folder.join("summary.json"), folder.join("trajectory.npz"));
    let mut all: Value = serde_json::from_slice(&std::fs::read(&summary).unwrap()).unwrap();
    let map = all.as_object_mut().unwrap();
    for key in ["terms", "constraints", "coarse"] {
        map.remove(key);
    }
    map.insert("format".into(), 1.into());
    std::fs::write(summary, all.to_string()).unwrap();
    let is_old = |a: &Array| !["verdict_contacts", "verdict_least_gap", "step_error"].contains(&a.name.as_str());
    let arrays: Vec<Array> = table::read(&trajectory).unwrap().into_iter().filter(is_old).collect();
    std::fs::write(trajectory, table::encode(&arrays, Format::Npz)).unwrap();
}

#[test]
fn what_format_1_lacks_is_computed_anew() {
    let place = Place::new("older");
    for (name, stored) in [("spin", &*SPIN), ("hop", &HOP), ("trot", &TROT)] {
        let folder = place.0.join(name);
        stored.save(&folder).unwrap();
        make_older(&folder);
        let plan = StoredPlan::load(&folder).unwrap().plan;
        assert_eq!(plan.step_errors.len(), stored.plan.step_errors.len());
        for (found, expected) in plan.step_errors.iter().zip(&stored.plan.step_errors) {
            assert!((found - expected).abs() < 1e-5, "{name}: {found} instead of {expected}");
        }
        assert!(plan.motion == stored.plan.motion, "{name}");
        let names = |terms: &[TermId]| terms.iter().map(TermId::to_string).collect::<Vec<_>>();
        assert_eq!(names(&plan.terms), names(&stored.plan.terms), "{name}");
        assert_eq!(plan.status.to_string(), stored.plan.status.to_string(), "{name}");
        assert_eq!(plan.cost_by_term, stored.plan.cost_by_term, "{name}");
        assert!(plan.verdicts.iter().all(|v| v.contacts == 0 && v.least_gap.is_nan()));
    }
}

#[test]
fn the_error_of_a_coarse_plan_is_in_format_1_too() {
    let (place, mut stored) = (Place::new("coarse"), SPIN.clone());
    let folder = place.0.join("plan");
    stored.plan.status = Status::Coarse { error: stored.plan.step_error().1, allowed: 0.25 };
    stored.save(&folder).unwrap();
    make_older(&folder);
    assert_eq!(StoredPlan::load(&folder).unwrap().plan.status, stored.plan.status);
}
