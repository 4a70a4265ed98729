//! Pictures, compared with the rays of the engine, with formulas, and with themselves on other
//! numbers of threads.

use saltus_math::Vec3;
use saltus_render::scene::{Shown, update};
use saltus_render::{Camera, RenderError, Renderer, Scene};
use saltus_sim::collide::{RayFilter, ray};
use saltus_sim::{Data, Model};

const SIZE: [usize; 2] = [320, 240];

/// One geom of each kind on a plane.
const ALL: &str = r#"<mujoco>
  <asset>
    <mesh name="m" vertex="0 0 0  .5 0 0  0 .5 0  0 0 .6  .3 .3 .3"/>
    <hfield name="h" nrow="4" ncol="5" size=".5 .4 .3 .1" elevation="0 1 0 1 0  1 0 1 0 1  0 .5 1 .5 0  1 1 0 0 1"/>
  </asset>
  <worldbody>
    <light pos="0 0 4"/><light pos="2 2 3" dir="-1 -1 -1" directional="true"/>
    <geom name="floor" type="plane" size="3 3 1" rgba=".4 .4 .4 1"/>
    <geom name="field" type="hfield" hfield="h" pos="0 1.3 .1"/>
    <body pos="-1 0 .5" euler="20 30 0"><freejoint/><geom name="box" type="box" size=".3 .2 .1" rgba="1 0 0 1"/></body>
    <body pos="0 0 .6" euler="50 10 0"><freejoint/><geom name="capsule" type="capsule" size=".15 .3"/></body>
    <body pos="1 0 .5"><freejoint/><geom name="sphere" size=".3"/></body>
    <body pos="-1 -1 .5" euler="70 0 20"><freejoint/><geom name="cylinder" type="cylinder" size=".2 .3"/></body>
    <body pos="0 -1 .4" euler="0 40 0"><freejoint/><geom name="ellipsoid" type="ellipsoid" size=".4 .2 .1"/></body>
    <body pos="1 -1 .4" euler="10 0 70"><freejoint/><geom name="mesh" type="mesh" mesh="m"/></body>
  </worldbody></mujoco>"#;

fn model(xml: &str) -> (Model, Data) {
    let model = saltus_sim::compile(&saltus_io::read_str(xml, &Default::default()).unwrap()).unwrap();
    let mut data = Data::new(&model);
    saltus_sim::forward_smooth(&model, &mut data);
    (model, data)
}

fn scene(model: &Model, data: &Data) -> Scene {
    let mut scene = Scene::new(model);
    update(&mut scene, model, data, &Shown::default()).unwrap();
    scene
}

fn cameras() -> Vec<Camera> {
    let at = Vec3::new(0.0, 0.0, 0.3);
    let mut cameras: Vec<Camera> = [(90.0, -30.0), (200.0, -50.0), (-20.0, -5.0), (0.0, -89.0)]
        .map(|(a, e)| Camera::orbit(at, 4.0, a, e, 3.0))
        .to_vec();
    cameras.push(Camera { parallel: true, fovy: 3.0, ..cameras[0] });
    // In the middle of things: what is behind the camera must not appear.
    cameras.push(Camera::orbit(at, 0.4, 130.0, -20.0, 3.0));
    cameras
}

/// Start and direction of the ray through the middle of a pixel; it goes 1 m along the axis.
fn ray_of(camera: &Camera, x: usize, y: usize) -> (Vec3, Vec3) {
    let half = [0.5 * SIZE[0] as f64, 0.5 * SIZE[1] as f64];
    let tangent = if camera.parallel { 0.5 * camera.fovy } else { (0.5 * camera.fovy).to_radians().tan() };
    let [u, v] = [x as f64 + 0.5 - half[0], half[1] - y as f64 - 0.5].map(|p| p * tangent / half[1]);
    let side = camera.axes.col(0) * u + camera.axes.col(1) * v;
    let forward = camera.axes.col(2) * -1.0;
    if camera.parallel { (camera.position + side, forward) } else { (camera.position, forward + side) }
}

#[test]
fn what_is_seen_is_what_rays_hit() {
    let (model, data) = model(ALL);
    let scene = scene(&model, &data);
    let mut renderer = Renderer::new();
    let (mut seen, mut depth) = (Vec::new(), Vec::new());
    let mut kinds = std::collections::BTreeSet::new();
    for (k, camera) in cameras().iter().enumerate() {
        renderer.instances(&scene, camera, SIZE, &mut seen).unwrap();
        renderer.depth(&scene, camera, SIZE, &mut depth).unwrap();
        let (mut same, mut near, mut both) = (0, 0, 0);
        for (at, (x, y)) in (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y))).enumerate() {
            let (p, v) = ray_of(camera, x, y);
            let hit = ray(&model, &data, p + v * camera.near, v, &RayFilter::default());
            let drawn = usize::try_from(seen[at]).ok().and_then(|i| scene.instances[i].object).map(|(_, g)| g);
            let expected = hit.as_ref().map(|(g, _)| g.idx());
            same += usize::from(drawn == expected);
            if let (Some(g), Some((_, hit))) = (drawn, &hit)
                && Some(g) == expected
            {
                kinds.insert(model.geoms.name[g].clone());
                both += 1;
                // Curved shapes are drawn with flat triangles, which are up to 2 mm inside here,
                // and more along a ray that grazes them.
                let is_flat = ["floor", "box", "mesh", "field"].contains(&model.geoms.name[g].as_str());
                let distance = hit.t + camera.near;
                let error = (f64::from(depth[at]) - distance).abs();
                near += usize::from(error < if is_flat { 1e-4 * distance } else { 0.01 * distance.max(1.0) });
            }
            if drawn.is_none() {
                assert_eq!(depth[at], camera.far as f32);
            }
        }
        let (same, near) = (same as f64 / seen.len() as f64, near as f64 / both as f64);
        assert!(same > 0.99 && near > 0.995, "camera {k}: {same} of pixels, {near} of depths");
    }
    assert_eq!(kinds.len(), 8, "{kinds:?}");
}

#[test]
fn pictures_do_not_depend_on_the_number_of_threads() {
    let (model, data) = model(ALL);
    let scene = scene(&model, &data);
    let camera = cameras()[0];
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut image = Vec::new();
        pool.install(|| Renderer::new().colour(&scene, &camera, [333, 222], &mut image)).unwrap();
        image
    };
    let one = draw(1);
    assert_eq!(one.len(), 333 * 222 * 3);
    assert!(one == draw(2) && one == draw(5));
    assert!(one.iter().collect::<std::collections::BTreeSet<_>>().len() > 100, "many shades");
}

#[test]
fn light_follows_the_formula() {
    let (model, data) =
        model(r#"<mujoco><worldbody><geom type="plane" size="5 5 1" rgba=".4 .4 .4 1"/></worldbody></mujoco>"#);
    let scene = scene(&model, &data);
    let camera = Camera::orbit(Vec3::ZERO, 2.0, 0.0, -90.0, 1.0);
    let mut image = Vec::new();
    Renderer::new().colour(&scene, &camera, [101, 101], &mut image).unwrap();
    // The headlight from above: ambient 0.1 and diffuse 0.4 of the colour, and its highlight, 0.5
    // of a specularity of 0.5.
    let expected = 255.0 * (0.4 * (0.1 + 0.4) + 0.5 * 0.5);
    let middle = f64::from(image[3 * (50 * 101 + 50)]);
    assert!((middle - expected).abs() < 1.5, "{middle} {expected}");
}

#[test]
fn shadows_are_where_rays_to_the_light_are_blocked() {
    let (model, data) = model(
        r#"<mujoco><visual><headlight ambient="0 0 0" diffuse="0 0 0" specular="0 0 0"/></visual><worldbody>
          <light pos="0 0 3" dir="0.3 0 -1" directional="true" specular="0 0 0"/>
          <geom type="plane" size="3 3 1"/>
          <body pos="-.2 0 1"><freejoint/><geom type="box" size=".3 .2 .05"/></body></worldbody></mujoco>"#,
    );
    let scene = scene(&model, &data);
    let camera = Camera::orbit(Vec3::ZERO, 5.0, 90.0, -60.0, 3.0);
    let (mut image, mut seen) = (Vec::new(), Vec::new());
    let mut renderer = Renderer::new();
    renderer.colour(&scene, &camera, SIZE, &mut image).unwrap();
    renderer.instances(&scene, &camera, SIZE, &mut seen).unwrap();
    let towards = Vec3::new(-0.3, 0.0, 1.0);
    let (mut same, mut dark, mut all) = (0, 0, 0);
    for (at, (x, y)) in (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y))).enumerate() {
        if seen[at] != 0 {
            continue;
        }
        let (p, v) = ray_of(&camera, x, y);
        let place = p - v * (p.z / v.z) + towards * 1e-6;
        let blocked = ray(&model, &data, place, towards, &RayFilter::default()).is_some();
        let is_dark = image[3 * at] < 40;
        same += usize::from(blocked == is_dark);
        dark += usize::from(blocked);
        all += 1;
    }
    assert!(dark > 500 && same as f64 > 0.99 * f64::from(all), "{same} of {all}, {dark} dark");
}

#[test]
fn bad_requests_are_errors() {
    let (model, mut data) = model(ALL);
    let mut scene = scene(&model, &data);
    let (camera, mut renderer, mut image) = (cameras()[0], Renderer::new(), Vec::new());
    for size in [[0, 10], [10, 0], [100_000, 10]] {
        let error = renderer.colour(&scene, &camera, size, &mut image).unwrap_err();
        assert_eq!(error, RenderError::Size { width: size[0], height: size[1] });
    }
    for camera in [
        Camera { fovy: 0.0, ..camera },
        Camera { fovy: f64::NAN, ..camera },
        Camera { near: 0.0, ..camera },
        Camera { far: f64::INFINITY, ..camera },
        Camera { position: Vec3::new(f64::NAN, 0.0, 0.0), ..camera },
    ] {
        assert!(matches!(renderer.colour(&scene, &camera, SIZE, &mut image), Err(RenderError::Camera(_))));
    }
    data.state.q[0] = f64::NAN;
    saltus_sim::forward_smooth(&model, &mut data);
    let error = update(&mut scene, &model, &data, &Shown::default()).unwrap_err().to_string();
    assert!(error.contains("geom 2 \"box\""), "{error}");
}
