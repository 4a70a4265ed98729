//! Plans of shipped tasks, and places for their folders.

use saltus_opt::task::Task;
use saltus_store::StoredPlan;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A place for folders of one test that goes away with it.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("saltus-store-{name}-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A short run of a shipped task, which does not converge.
fn short(name: &str) -> StoredPlan {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(format!("tasks/{name}.toml"))).unwrap();
    let mut task = Task::parse(&text, name).unwrap();
    task.options.iterations = 12;
    task.options.threads = 1;
    let model = format!("{}.xml", task.model.value);
    let spec = saltus_io::read_file(root.join("models").join(model)).unwrap();
    let mut problem = task.problem(&spec).unwrap();
    let plan = problem.optimize(&mut |_| true).unwrap();
    StoredPlan::new(plan, problem, &task)
}

/// A motion that ends, with contacts.
pub static SPIN: LazyLock<StoredPlan> = LazyLock::new(|| short("spin"));
/// A limit cycle.
pub static HOP: LazyLock<StoredPlan> = LazyLock::new(|| short("hop"));
/// A limit cycle with a mirrored half.
pub static TROT: LazyLock<StoredPlan> = LazyLock::new(|| short("trot"));

/// Panics unless two plans have the same bits everywhere; NaN is NaN.
pub fn assert_same(found: &StoredPlan, expected: &StoredPlan) {
    let (a, b) = (format!("{:?}", found.plan), format!("{:?}", expected.plan));
    if let Some(at) = a.bytes().zip(b.bytes()).position(|(a, b)| a != b) {
        let around = |text: &str| text[at.saturating_sub(100)..(at + 100).min(text.len())].to_owned();
        panic!("found    {}\nexpected {}", around(&a), around(&b));
    }
    assert_eq!(a.len(), b.len());
}

/// The message of what cannot be loaded.
pub fn refusal(folder: &Path) -> String {
    StoredPlan::load(folder).map(drop).unwrap_err().to_string()
}
