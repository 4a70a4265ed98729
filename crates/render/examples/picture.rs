//! A picture of a model: `cargo run --release -p saltus-render --example picture -- MODEL OUT.png`
use saltus_render::{Camera, Renderer, Scene, scene};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let spec = saltus_io::read_file(&args[1])?;
    let model = saltus_sim::compile(&spec)?;
    let mut data = saltus_sim::Data::new(&model);
    saltus_sim::forward_smooth(&model, &mut data);
    let mut scene = Scene::new(&model);
    let camera = Camera::free(&model);
    let mut renderer = Renderer::new();
    let mut image = Vec::new();
    let [w, h] = [640, 480];
    let mut best = f64::INFINITY;
    for _ in 0..50 {
        let start = Instant::now();
        scene::update(&mut scene, &model, &data, &Default::default())?;
        renderer.colour(&scene, &camera, [w, h], &mut image)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    let triangles: usize = scene.instances.iter().map(|i| scene.meshes[i.mesh].triangle.len()).sum();
    println!(
        "{:.2} ms, {:.0} frames per second, {triangles} triangles, {} lights",
        1e3 * best,
        1.0 / best,
        scene.lights.len()
    );
    let mut encoder = png::Encoder::new(std::fs::File::create(&args[2])?, w as u32, h as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&image)?;
    Ok(())
}
