//! Arguments that `sim`, `bench` and `compare` share: the model, options that replace its own, and
//! the state to start from.

use super::model::ModelFile;
use anyhow::{Result, anyhow, bail, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use saltus::sim::ids::KeyId;
use saltus::sim::options::law::{Law, LawOptions};
use saltus::sim::options::{Cone, Integrator, Solver};
use saltus::{Data, Loaded, Model};

/// A model, options that replace its own, and the state to start from.
#[derive(clap::Args)]
pub struct StartArgs {
    #[command(flatten)]
    pub file: ModelFile,
    /// Start from this keyframe, given by name or index.
    #[arg(long, value_name = "KEY")]
    keyframe: Option<String>,
    /// Integrator. Overrides the model.
    #[arg(long, value_parser = one_of(&Integrator::NAMES))]
    integrator: Option<Integrator>,
    /// Constraint solver of the soft law. Overrides the model. The other laws have their own
    /// settings (--set).
    #[arg(long, value_parser = one_of(&Solver::NAMES))]
    solver: Option<Solver>,
    /// Friction cone of the soft law. Overrides the model.
    #[arg(long, value_parser = one_of(&Cone::NAMES))]
    cone: Option<Cone>,
    /// Time step in seconds. Overrides the model.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    timestep: Option<f64>,
    /// Contact law. Overrides the model.
    #[arg(long, value_name = "LAW", value_parser = one_of(&Law::NAMES))]
    pub law: Option<Law>,
    /// Set a parameter of a contact law, e.g. --set reach=0.02. May be repeated.
    #[arg(long, value_name = "NAME=VALUE", long_help = settings())]
    set: Vec<String>,
    /// Maximum number of iterations of the soft law's solver. Overrides the model.
    #[arg(long, value_name = "N")]
    iterations: Option<u16>,
}

impl StartArgs {
    /// The model with the options of the command line, data in the initial state, and the warnings
    /// of the reader.
    pub fn load(&self) -> Result<(Model, Data, Vec<String>)> {
        let Loaded { mut model, warnings, .. } = self.file.load()?;
        let o = &mut model.options;
        if let Some(h) = self.timestep {
            ensure!(h.is_finite() && h > 0.0, "--timestep must be a positive number of seconds, not {h}");
            o.timestep = h;
        }
        if let Some(n) = self.iterations {
            o.iterations = i32::from(n);
        }
        o.integrator = self.integrator.unwrap_or(o.integrator);
        o.solver = self.solver.unwrap_or(o.solver);
        o.cone = self.cone.unwrap_or(o.cone);
        self.set_law(&mut o.laws)?;
        let mut data = Data::new(&model);
        if let Some(key) = &self.keyframe {
            let id = find_key(&model, key)?;
            data.reset_to_key(&model, id);
        }
        Ok((model, data, warnings))
    }

    fn set_law(&self, laws: &mut LawOptions) -> Result<()> {
        laws.law = self.law.unwrap_or(laws.law);
        for setting in &self.set {
            let Some((name, value)) = setting.split_once('=') else {
                bail!("--set {setting}: expected NAME=VALUE, e.g. --set reach=0.02");
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

/// Parses one of the names in a table and returns the value of that entry.
fn one_of<T>(table: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let find = |word: String| table.iter().find(|(name, _)| *name == word).map(|(_, choice)| *choice);
    PossibleValuesParser::new(table.iter().map(|(name, _)| *name)).try_map(move |word| find(word).ok_or("unknown word"))
}

/// Help for `--set`: every parameter with its meaning and default.
fn settings() -> String {
    let defaults = LawOptions::default();
    let mut text =
        "Set a parameter of a contact law, e.g. --set reach=0.02. May be repeated. The parameters are:\n".to_owned();
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
pub fn find_key(model: &Model, key: &str) -> Result<KeyId> {
    if let Some(number) = key.parse::<usize>().ok().filter(|&n| n < model.nkey()) {
        return Ok(model.key(key).unwrap_or(KeyId::new(number)));
    }
    Ok(model.key(key)?)
}
