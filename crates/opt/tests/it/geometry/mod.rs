//! Geometry for planning.
mod candidates;
mod capsules;
mod smooth;
mod spec;

use saltus_io::{read_file, read_str};
use saltus_math::Random;
use saltus_opt::geometry::{GeometryOptions, Planning, build_planning_spec};
use saltus_sim::ModelSpec;
use saltus_sim::kinematics::coordinates::integrate;
use saltus_sim::{Data, Model};
use std::collections::BTreeMap;

fn model(name: &str) -> ModelSpec {
    read_file(format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"))).expect(name)
}

fn parse(xml: &str) -> ModelSpec {
    read_str(xml, &BTreeMap::new()).expect("the model is read")
}

fn planning(spec: &ModelSpec) -> Planning {
    build_planning_spec(spec, &GeometryOptions::default()).expect("a planning model")
}

/// The reference pose moved by random amounts.
fn place(random: &mut Random, model: &Model, data: &mut Data, size: f64) {
    data.reset(model);
    let by = random.vector(model.size.nv, 1.0);
    integrate(model, &mut data.state.q, &by, size);
}
