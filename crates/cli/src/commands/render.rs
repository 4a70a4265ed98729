//! `saltus render`: a picture of a model in three dimensions.

use super::model::ModelFile;
use super::start::find_key;
use crate::draw::raster;
use crate::files::{check_writable, write_file};
use crate::output::{self, say};
use anyhow::{Context, Result, ensure};
use saltus::Data;
use saltus::render::{Camera, Renderer, Scene, scene};
use std::path::PathBuf;
use std::time::Instant;

/// Draw a picture of a model in three dimensions. It needs no screen and no graphics card.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  saltus render humanoid.xml --out humanoid.png
  saltus render humanoid.xml --keyframe squat --azimuth 180 --elevation -10 --size 1280x720 --out squat.png
  saltus render robot.xml --camera head --out view.png")]
pub struct Args {
    #[command(flatten)]
    file: ModelFile,
    /// Picture to write: a .png file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Draw this keyframe, given by name or index, instead of the reference pose.
    #[arg(long, value_name = "KEY")]
    keyframe: Option<String>,
    /// Camera of the model, by name [default: a camera that sees the whole model].
    #[arg(long, value_name = "NAME", conflicts_with_all = ["azimuth", "elevation", "distance"])]
    camera: Option<String>,
    /// Direction in which the camera looks, degrees about the vertical; 0 is along x, 90 along y.
    #[arg(long, value_name = "DEG", allow_negative_numbers = true)]
    azimuth: Option<f64>,
    /// Angle at which the camera looks up, degrees; −90 looks down.
    #[arg(long, value_name = "DEG", allow_negative_numbers = true)]
    elevation: Option<f64>,
    /// Distance of the camera from the centre of the model, m.
    #[arg(long, value_name = "M")]
    distance: Option<f64>,
    /// Width and height of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "640x480", value_parser = size)]
    size: [usize; 2],
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

fn size(text: &str) -> Result<[usize; 2], String> {
    let parts = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    parts.ok_or_else(|| format!("expected two whole numbers such as 640x480, found {text:?}"))
}

pub fn run(args: &Args) -> Result<()> {
    let is_png = args.out.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    ensure!(is_png, "{}: only .png pictures can be written", args.out.display());
    let model = args.file.load()?.model;
    let mut data = Data::new(&model);
    if let Some(key) = &args.keyframe {
        data.reset_to_key(&model, find_key(&model, key)?);
    }
    saltus::forward_smooth(&model, &mut data);
    let camera = match &args.camera {
        Some(name) => Camera::of_model(&model, &data, model.camera(name)?),
        None => Camera::free_from(&model, args.azimuth, args.elevation, args.distance),
    };
    check_writable(&args.out)?;
    let start = Instant::now();
    let mut scene = Scene::new(&model);
    scene::update(&mut scene, &model, &data, &scene::Shown::default())?;
    let mut image = Vec::new();
    Renderer::new().colour(&scene, &camera, args.size, &mut image)?;
    let seconds = start.elapsed().as_secs_f64();
    let [width, height] = args.size;
    write_file(
        &args.out,
        &raster::png_file(&image, (width as u32, height as u32)).context("cannot encode the picture")?,
    )?;
    if args.json {
        output::json(
            &serde_json::json!({ "picture": args.out, "width": width, "height": height, "seconds": seconds }),
        )?;
    } else {
        say!("{}: {width} × {height} pixels in {:.0} ms", args.out.display(), 1e3 * seconds);
    }
    Ok(())
}
