//! Where tasks come from: names of shipped ones, files, and the settings of templates. What is done is also a text, the
//! `task.toml` of the result folder, from which it can be done again.

use anyhow::{Context, Result, anyhow, bail, ensure};
use saltus::opt::solve::optimize::OptimizeOptions;
use saltus::opt::task::{Task, What};
use saltus::opt::template::gait::Gait;
use saltus::opt::template::goal::{Aim, Goal};
use saltus::opt::template::robot::RobotOptions;
use saltus::store::MODEL;
use saltus::{ModelSpec, shipped};
use std::fmt::Write;
use std::path::Path;

const HEADER: &str = "# Do it again with: saltus optimize task.toml\n";

/// A task, its text for the result folder, and the model.
#[derive(Debug)]
pub struct Source {
    pub task: Task,
    pub text: String,
    pub spec: ModelSpec,
    /// Whether mistakes are in a task file; otherwise they are on the command line.
    pub is_file: bool,
}

impl Source {
    /// A shipped task.
    pub fn shipped(name: &str, iterations: Option<usize>) -> Result<Self> {
        let Some(text) = shipped::task(name) else {
            bail!(
                "unknown task {name}; expected one of {}, a template (gait, stand, reach, jump) with a model, or a file with the ending .toml",
                shipped::task_names().join(", ")
            );
        };
        Self::from_text(text, Path::new(&format!("{name}.toml")), iterations)
    }

    /// A name or a file.
    pub fn named(place: &Path, iterations: Option<usize>) -> Result<Self> {
        if !place.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
            return Self::shipped(&place.display().to_string(), iterations);
        }
        let text = std::fs::read_to_string(place).with_context(|| format!("cannot read {}", place.display()))?;
        Self::from_text(&text, place, iterations)
    }

    fn from_text(text: &str, file: &Path, iterations: Option<usize>) -> Result<Self> {
        let mut task = Task::parse(text, &file.display().to_string())?;
        let as_run = as_run(text, &task, iterations)?;
        task.options.iterations = iterations.unwrap_or(task.options.iterations);
        check(&task).with_context(|| task.file.clone())?;
        let spec = saltus::task::load_model(&task, file)
            .with_context(|| format!("{}:{}: model", task.file, task.model.line))?;
        Ok(Self { task, text: as_run, spec, is_file: true })
    }

    /// The template of gaits.
    pub fn gait(name: &str, gait: Gait, robot: RobotOptions, iterations: Option<usize>, model: &Path) -> Result<Self> {
        let mut options = OptimizeOptions::default();
        options.iterations = iterations.unwrap_or(options.iterations);
        let text = gait_text(name, &gait, &robot, &options);
        let what = What::Gait { gait, robot, line: 1 };
        saltus::task::check(&what, &options).map_err(|e| anyhow!(e))?;
        // What is run is what was written.
        let task = Task::parse(&text, "task.toml")?;
        check(&task)?;
        Ok(Self { task, text, spec: saltus::load_spec(model)?, is_file: false })
    }
}

impl Source {
    /// The templates with a goal.
    pub fn goal(name: &str, goal: Goal, robot: RobotOptions, iterations: Option<usize>, model: &Path) -> Result<Self> {
        let mut options = OptimizeOptions::default();
        options.iterations = iterations.unwrap_or(options.iterations);
        let text = goal_text(name, &goal, &robot, &options);
        saltus::task::check(&What::Goal { goal, robot, line: 1 }, &options).map_err(|e| anyhow!(e))?;
        // What is run is what was written.
        let task = Task::parse(&text, "task.toml")?;
        check(&task)?;
        Ok(Self { task, text, spec: saltus::load_spec(model)?, is_file: false })
    }
}

/// Refuses numbers that make no sense.
fn check(task: &Task) -> Result<()> {
    // The result folder has this name.
    let is_name = Path::new(&task.name).file_name().is_some_and(|name| name == task.name.as_str());
    ensure!(is_name, "expected a name that a folder can have, found {:?}", task.name);
    saltus::task::check(&task.what, &task.options).map_err(|e| anyhow!(e))
}

/// A gait with all its settings as a task file.
fn gait_text(name: &str, gait: &Gait, robot: &RobotOptions, options: &OptimizeOptions) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let mut out = format!("{HEADER}name = {}\nmodel = {}\n\n[gait]\n", quoted(name), quoted(MODEL));
    let mut line = |key: &str, value: String| {
        // Writing to a String cannot fail.
        _ = writeln!(out, "{key} = {value}");
    };
    gait.speed.iter().for_each(|speed| line("speed", format!("{speed:?}")));
    gait.period.iter().for_each(|period| line("period", format!("{period:?}")));
    line("free_period", gait.free_period.to_string());
    line("steps", gait.steps.to_string());
    gait.mirror.iter().for_each(|mirror| line("mirror", quoted(mirror.word())));
    line("noise", format!("{:?}", gait.noise));
    line("seed", gait.seed.to_string());
    robot_text(robot, &mut line);
    let w = &gait.weights;
    let weights = [
        ("effort", w.effort),
        ("posture", w.posture),
        ("smoothness", w.smoothness),
        ("slip", w.slip),
        ("fade", w.fade),
        ("soles", w.soles),
    ];
    let list: Vec<String> = weights.iter().map(|(key, value)| format!("{key} = {value:?}")).collect();
    line("weights", format!("{{ {} }}", list.join(", ")));
    out.push_str(&solver_text(options));
    out
}

/// A goal with all its settings as a task file.
fn goal_text(name: &str, goal: &Goal, robot: &RobotOptions, options: &OptimizeOptions) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let word = goal.aim.word();
    let mut out = format!("{HEADER}name = {}\nmodel = {}\n\n[{word}]\n", quoted(name), quoted(MODEL));
    let mut line = |key: &str, value: String| {
        // Writing to a String cannot fail.
        _ = writeln!(out, "{key} = {value}");
    };
    match &goal.aim {
        Aim::Stand => {}
        Aim::Reach { place, position } => {
            line("place", quoted(place));
            line("position", format!("{position:?}"));
        }
        Aim::Jump { height } => line("height", format!("{height:?}")),
    }
    goal.time.iter().for_each(|time| line("time", format!("{time:?}")));
    goal.steps.iter().for_each(|steps| line("steps", steps.to_string()));
    robot_text(robot, &mut line);
    out.push_str(&solver_text(options));
    out
}

fn robot_text(robot: &RobotOptions, line: &mut dyn FnMut(&str, String)) {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    if !robot.feet.is_empty() {
        line("feet", format!("[{}]", robot.feet.iter().map(|f| quoted(f)).collect::<Vec<_>>().join(", ")));
    }
    robot.keyframe.iter().for_each(|key| line("keyframe", quoted(key)));
    line("keep_pose", robot.keep_pose.to_string());
}

fn solver_text(options: &OptimizeOptions) -> String {
    let mut out = format!("\n[solver]\niterations = {}\n", options.iterations);
    let numbers = [
        ("feasibility", options.feasibility),
        ("tolerance", options.tolerance),
        ("penalty", options.penalty),
        ("penalty_growth", options.penalty_growth),
        ("penalty_limit", options.penalty_limit),
        ("path_step", options.path_step),
    ];
    for (key, value) in numbers {
        _ = writeln!(out, "{key} = {value:?}");
    }
    out
}

/// The text of a task with the model beside it, and with another number of iterations.
fn as_run(text: &str, task: &Task, iterations: Option<usize>) -> Result<String> {
    if iterations.is_none() {
        let of = |(k, line): (usize, &str)| {
            if k + 1 == task.model.line { format!("model = \"{MODEL}\"\n") } else { format!("{line}\n") }
        };
        let edited: String = text.lines().enumerate().map(of).collect();
        let again = Task::parse(&edited, &task.file).ok().filter(|again| again.model.value == MODEL);
        if again.is_some_and(|again| Task { model: task.model.clone(), ..again } == *task) {
            return Ok(edited);
        }
    }
    let mut table: toml::Table = text.parse()?;
    table.insert("model".to_owned(), MODEL.into());
    if let Some(iterations) = iterations {
        let solver = table.entry("solver").or_insert_with(|| toml::Table::new().into());
        let solver = solver.as_table_mut().context("solver is not a table")?;
        solver.insert("iterations".to_owned(), i64::try_from(iterations)?.into());
    }
    Ok(toml::to_string(&table)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus::opt::template::gait::Sides;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let robot =
            RobotOptions { feet: vec!["a".into(), "b \"c\"".into()], keyframe: Some("k".into()), keep_pose: true };
        let wish = Gait {
            speed: Some(1.0 / 3.0),
            period: Some(1.0),
            free_period: true,
            mirror: Some(Sides::Together),
            seed: 7,
            ..Gait::default()
        };
        let options = OptimizeOptions { iterations: 11, tolerance: 3e-7, ..OptimizeOptions::default() };
        let task = Task::parse(&gait_text("a \"b\"", &wish, &robot, &options), "").unwrap();
        assert_eq!((task.name.as_str(), task.model.value.as_str(), task.options), ("a \"b\"", MODEL, options));
        let What::Gait { gait, robot: again, .. } = task.what else { panic!("a gait") };
        assert_eq!((gait, again), (wish, robot));
    }

    #[test]
    fn goals_read_back_the_same() {
        let robot = RobotOptions { feet: vec!["a".into()], keyframe: None, keep_pose: false };
        let options = OptimizeOptions::default();
        let reach = Aim::Reach { place: "left \"hand\"".into(), position: [1.0 / 3.0, -2.0, 0.5] };
        for (aim, time, steps) in
            [(Aim::Stand, None, None), (reach, Some(0.7), None), (Aim::Jump { height: 0.1 }, None, Some(33))]
        {
            let wish = Goal { aim, time, steps };
            let task = Task::parse(&goal_text("g", &wish, &robot, &options), "").unwrap();
            let What::Goal { goal, robot: again, .. } = task.what else { panic!("a goal") };
            assert_eq!((goal, again, task.options), (wish, robot.clone(), options));
        }
    }

    #[test]
    fn shipped_tasks_are_copied_with_another_model_and_other_settings() {
        for name in shipped::task_names() {
            let plain = Source::shipped(name, None).unwrap();
            let changed = shipped::task(name).unwrap().lines().zip(plain.text.lines()).filter(|(a, b)| a != b);
            assert_eq!(changed.map(|(_, b)| b).collect::<Vec<_>>(), ["model = \"model.xml\""]);
            let short = Source::shipped(name, Some(3)).unwrap();
            let again = Task::parse(&short.text, "").unwrap();
            assert_eq!((short.task.options.iterations, again.options.iterations, again.name), (3, 3, name.to_owned()));
        }
        // A model that is not on a line of its own.
        let text = "name = \"n\"\n\"model\" = '''\nm'''\n[motion]\nsteps = 9\ntime = 1\n";
        let task = Task::parse(text, "").unwrap();
        assert_eq!(Task::parse(&as_run(text, &task, None).unwrap(), "").unwrap().model.value, MODEL);
    }
}
