//! Geometry for planning.
mod candidates;
mod capsules;
mod smooth;
mod spec;

use saltus_io::{read_file, read_str};
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

/// Numbers in [−1, 1] (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Moves the reference pose by random amounts.
    fn pose(&mut self, model: &Model, data: &mut Data, size: f64) {
        data.reset(model);
        let by: Vec<f64> = (0..model.size.nv).map(|_| self.next()).collect();
        integrate(model, &mut data.state.q, &by, size);
    }
}
