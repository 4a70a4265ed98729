//! What `sim` and `bench` have in common: the model with options from the command line, and its first state.

use super::model::ModelFile;
use anyhow::{Result, anyhow, bail, ensure};
use clap::ValueEnum;
use saltus::sim::ids::KeyId;
use saltus::sim::options;
use saltus::sim::options::law::LawOptions;
use saltus::{Data, Loaded, Model};

/// A model and options that replace its own.
#[derive(clap::Args)]
pub struct Setup {
    #[command(flatten)]
    pub file: ModelFile,
    /// Start from this keyframe, by name or number.
    #[arg(long, value_name = "KEY")]
    keyframe: Option<String>,
    /// Integrator, instead of the model's.
    #[arg(long, value_enum)]
    integrator: Option<Integrator>,
    /// Constraint solver of the soft law, instead of the model's; other laws have settings of their own (--set).
    #[arg(long, value_enum)]
    solver: Option<Solver>,
    /// Friction cone, instead of the model's.
    #[arg(long, value_enum)]
    cone: Option<Cone>,
    /// Time step in seconds, instead of the model's.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    timestep: Option<f64>,
    /// Contact law, instead of the model's.
    #[arg(long, value_name = "LAW", value_parser = clap::builder::PossibleValuesParser::new(["soft", "invertible", "impulse", "lcp", "compliant"]))]
    pub law: Option<String>,
    /// Setting of a contact law, e.g. --set reach=0.02; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", long_help = settings())]
    set: Vec<String>,
    /// Largest number of iterations of the soft law's solver, instead of the model's.
    #[arg(long, value_name = "N")]
    iterations: Option<u16>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Integrator {
    Euler,
    Rk4,
    Implicit,
    Implicitfast,
    Discrete,
    Explicit,
    Midpoint,
    SemiImplicit,
    Interleaved,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Solver {
    Pgs,
    Cg,
    Newton,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Cone {
    Pyramidal,
    Elliptic,
}

impl Setup {
    /// The model with the options of the command line, and data in its first state.
    pub fn load(&self) -> Result<(Model, Data, Vec<String>)> {
        let Loaded { mut model, warnings } = self.file.load()?;
        let o = &mut model.options;
        if let Some(h) = self.timestep {
            ensure!(h.is_finite() && h > 0.0, "--timestep must be a positive number of seconds, not {h}");
            o.timestep = h;
        }
        if let Some(n) = self.iterations {
            o.iterations = i32::from(n);
        }
        match self.integrator {
            Some(Integrator::Euler) => o.integrator = options::Integrator::Euler,
            Some(Integrator::Rk4) => o.integrator = options::Integrator::Rk4,
            Some(Integrator::Implicit) => o.integrator = options::Integrator::Implicit,
            Some(Integrator::Implicitfast) => o.integrator = options::Integrator::ImplicitFast,
            Some(Integrator::Discrete) => o.integrator = options::Integrator::Discrete,
            Some(Integrator::Explicit) => o.integrator = options::Integrator::Explicit,
            Some(Integrator::Midpoint) => o.integrator = options::Integrator::Midpoint,
            Some(Integrator::SemiImplicit) => o.integrator = options::Integrator::SemiImplicit,
            Some(Integrator::Interleaved) => o.integrator = options::Integrator::Interleaved,
            None => {}
        }
        match self.solver {
            Some(Solver::Pgs) => o.solver = options::Solver::Pgs,
            Some(Solver::Cg) => o.solver = options::Solver::Cg,
            Some(Solver::Newton) => o.solver = options::Solver::Newton,
            None => {}
        }
        match self.cone {
            Some(Cone::Pyramidal) => o.cone = options::Cone::Pyramidal,
            Some(Cone::Elliptic) => o.cone = options::Cone::Elliptic,
            None => {}
        }
        self.set_law(&mut o.laws)?;
        let mut data = Data::new(&model);
        if let Some(key) = &self.keyframe {
            let id = find_key(&model, key)?;
            data.reset_to_key(&model, id);
        }
        Ok((model, data, warnings))
    }
}

impl Setup {
    fn set_law(&self, laws: &mut LawOptions) -> Result<()> {
        if let Some(law) = &self.law {
            laws.set_word("law", law).map_err(|e| anyhow!("--law: {e}"))?;
        }
        for setting in &self.set {
            let Some((name, value)) = setting.split_once('=') else {
                bail!("--set {setting}: NAME=VALUE is expected, e.g. --set reach=0.02");
            };
            let outcome = match value.parse::<f64>() {
                Ok(number) => laws.set_number(name, number),
                Err(_) => laws.set_word(name, value),
            };
            outcome.map_err(|e| anyhow!("--set {setting}: {e}"))?;
        }
        Ok(())
    }
}

/// Help for `--set`: every setting with what it means and its default.
fn settings() -> String {
    let defaults = LawOptions::default();
    let mut text = "Setting of a contact law, e.g. --set reach=0.02; may be repeated. There are:\n".to_owned();
    for word in LawOptions::WORDS.iter().filter(|word| word.name != "law") {
        let (words, default) = (word.words.join(", "), defaults.word(word.name).unwrap_or_default());
        text += &format!("  {}: {} ({words}) [default: {default}]\n", word.name, word.doc);
    }
    for number in LawOptions::NUMBERS {
        let default = defaults.number(number.name).unwrap_or_default();
        text += &format!("  {}: {} [default: {default}]\n", number.name, number.doc);
    }
    text
}

/// A keyframe by name or number.
fn find_key(model: &Model, key: &str) -> Result<KeyId> {
    if let Some(number) = key.parse::<usize>().ok().filter(|&n| n < model.nkey()) {
        return Ok(model.key(key).unwrap_or(KeyId::new(number)));
    }
    Ok(model.key(key)?)
}
