//! Text of a task → task → problem for a small model that is built in. Problems with many steps are
//! left out, because they take long.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_opt::task::{Task, TaskKind};
use saltus_sim::ModelSpec;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const MODELS: [(&str, &str); 5] = [
    ("hopper", include_str!("../../models/hopper.xml")),
    ("finger", include_str!("../../models/finger.xml")),
    ("arm", include_str!("../../models/arm.xml")),
    ("idto/pendulum", include_str!("../../models/idto/pendulum.xml")),
    ("idto/acrobot", include_str!("../../models/idto/acrobot.xml")),
];
const MAX_STEPS: usize = 20;

static SPECS: LazyLock<Vec<ModelSpec>> = LazyLock::new(|| {
    let read = |(_, text)| saltus_io::read_str(text, &BTreeMap::new()).expect("what is built in can be read");
    MODELS.into_iter().map(read).collect()
});

fuzz_target!(|text: &str| {
    let Ok(task) = Task::parse(text, "fuzz.toml") else { return };
    let steps = match &task.kind {
        TaskKind::Gait { gait, .. } => gait.steps,
        TaskKind::Goal { goal, .. } => goal.steps.unwrap_or(0),
        TaskKind::Motion(motion) => motion.steps,
    };
    if steps <= MAX_STEPS {
        // A task that names another model gets the first.
        let model = MODELS.iter().position(|(name, _)| *name == task.model.value).unwrap_or(0);
        _ = task.problem(&SPECS[model]);
    }
});
