//! Running the binary.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of its own for a test, emptied.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Runs `saltus` in `folder`.
pub fn saltus(folder: &PathBuf, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_saltus")).args(args).current_dir(folder).output().unwrap()
}

/// What a successful run prints.
pub fn stdout(folder: &PathBuf, args: &[&str]) -> String {
    let output = saltus(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a run that must fail says.
pub fn failure(folder: &PathBuf, args: &[&str]) -> String {
    let output = saltus(folder, args);
    assert!(!output.status.success(), "{args:?} should fail");
    String::from_utf8(output.stderr).unwrap()
}

pub fn json(folder: &PathBuf, args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(folder, args)).unwrap()
}

/// A pendulum with a motor, a sensor and two keyframes, without contact.
pub const PENDULUM: &str = r#"
<mujoco model="pendulum">
  <option timestep="0.001"/>
  <worldbody>
    <body name="rod"><joint name="hinge" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1" contype="0" conaffinity="0"/></body>
  </worldbody>
  <actuator><motor joint="hinge" ctrllimited="true" ctrlrange="-2 3"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <keyframe><key name="raised" qpos="1"/><key name="hanging" qpos="0"/></keyframe>
</mujoco>"#;

/// A folder with the pendulum in it.
pub fn pendulum(name: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("pendulum.xml"), PENDULUM).unwrap();
    folder
}
