//! The scene of a model in a state.

use super::{Instance, Light, Scene, Surface};
use crate::error::RenderError;
use crate::mesh;
use crate::vector::V3;
use saltus_math::{Mat3, Vec3};
use saltus_sim::model::kinds::{GeomShape, ObjectKind};
use saltus_sim::{Data, Model};
use std::collections::BTreeMap;

/// Numbers of the unit meshes in [`Scene::meshes`]; those of the model follow.
const SPHERE: usize = 0;
const HALF_SPHERE: usize = 1;
const CYLINDER: usize = 2;
const DISC: usize = 3;
const SQUARE: usize = 4;
const CUBE: usize = 5;
const UNITS: usize = 6;
/// Half the width of a plane without size, as a multiple of the extent of the model.
const INFINITE: f64 = 50.0;

/// Which groups of a model's parts are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    pub geom_groups: [bool; 6],
    pub site_groups: [bool; 6],
}

impl Default for Shown {
    /// Groups 0 to 2, as other viewers show them.
    fn default() -> Self {
        let first = [true, true, true, false, false, false];
        Self { geom_groups: first, site_groups: first }
    }
}

impl Scene {
    /// An empty scene with the meshes of a model.
    pub fn new(model: &Model) -> Self {
        let units = [mesh::sphere(), mesh::half_sphere(), mesh::cylinder(), mesh::disc(), mesh::square(), mesh::cube()];
        let meshes = (0..model.meshes.name.len()).map(|id| mesh::mesh_of(model, id));
        let fields = (0..model.hfields.name.len()).map(|id| mesh::field_of(model, id));
        Self { meshes: units.into_iter().chain(meshes).chain(fields).collect(), ..Self::default() }
    }
}

/// Fills the scene with the geoms, sites and lights of a model. Needs the positions of `data`, as
/// after `forward_smooth`.
pub fn update(scene: &mut Scene, model: &Model, data: &Data, shown: &Shown) -> Result<(), RenderError> {
    scene.instances.clear();
    let is_shown = |groups: &[bool; 6], group: i32| groups[group.clamp(0, 5) as usize];
    for g in (0..model.ngeom()).filter(|&g| is_shown(&shown.geom_groups, model.geoms.group[g])) {
        add_geom(scene, model, data, g);
    }
    for s in (0..model.nsite()).filter(|&s| is_shown(&shown.site_groups, model.sites.group[s])) {
        add_site(scene, model, data, s);
    }
    update_lights(scene, model, data);
    let is_finite = |i: &Instance| i.position.is_finite() && (0..3).all(|k| i.axes.col(k).is_finite());
    match scene.instances.iter().find(|i| !is_finite(i)).and_then(|i| i.object) {
        Some((ObjectKind::Site, s)) => Err(RenderError::NotFinite(format!("site {s} {:?}", model.sites.name[s]))),
        Some((_, g)) => Err(RenderError::NotFinite(format!("geom {g} {:?}", model.geoms.name[g]))),
        None => Ok(()),
    }
}

/// The surface of an object with a colour and perhaps a material. As in the reference, the colour
/// of a material is used where the object has the default colour.
fn surface(model: &Model, rgba: [f32; 4], material: Option<usize>) -> Surface {
    let Some(m) = material else { return Surface { rgba, ..Surface::default() } };
    let materials = &model.materials;
    let rgba = if rgba == [0.5, 0.5, 0.5, 1.0] { materials.rgba[m] } else { rgba };
    Surface {
        rgba,
        emission: materials.emission[m],
        specular: materials.specular[m],
        shininess: materials.shininess[m],
    }
}

fn add_geom(scene: &mut Scene, model: &Model, data: &Data, g: usize) {
    let geoms = &model.geoms;
    let surface = surface(model, geoms.rgba[g], geoms.material[g].map(|m| m.idx()));
    if surface.rgba[3] <= 0.0 {
        return;
    }
    let mut shape = Part {
        position: data.position.p_WG[g],
        axes: data.position.R_WG[g],
        size: geoms.size[g],
        surface,
        object: (ObjectKind::Geom, g),
        moves: model.bodies.tree[geoms.body[g].idx()].is_some(),
    };
    let nmesh = model.meshes.name.len();
    match (geoms.shape[g], geoms.data[g]) {
        (GeomShape::Mesh, Some(id)) => shape.add(scene, UNITS + id as usize, Vec3::ZERO, [1.0; 3]),
        (GeomShape::Hfield, Some(id)) => shape.add(scene, UNITS + nmesh + id as usize, Vec3::ZERO, [1.0; 3]),
        (GeomShape::Plane, _) => {
            let wide = INFINITE * model.statistic.extent.max(1e-3);
            let half = |k: usize| if geoms.size[g][k] > 0.0 { geoms.size[g][k] } else { wide } as f32;
            shape.moves = false;
            shape.add(scene, SQUARE, Vec3::ZERO, [half(0), half(1), 1.0]);
        }
        (kind, _) => shape.add_simple(scene, kind),
    }
}

fn add_site(scene: &mut Scene, model: &Model, data: &Data, s: usize) {
    let sites = &model.sites;
    let surface = surface(model, sites.rgba[s], sites.material[s].map(|m| m.idx()));
    if surface.rgba[3] <= 0.0 {
        return;
    }
    let part = Part {
        position: data.position.p_WS[s],
        axes: data.position.R_WS[s],
        size: sites.size[s],
        surface,
        object: (ObjectKind::Site, s),
        moves: true,
    };
    part.add_simple(scene, sites.shape[s]);
}

/// A shape at a place.
struct Part {
    position: Vec3,
    axes: Mat3,
    size: [f64; 3],
    surface: Surface,
    object: (ObjectKind, usize),
    /// Whether it casts a shadow.
    moves: bool,
}

impl Part {
    /// Adds a mesh at an offset along the z axis of the shape, scaled.
    fn add(&self, scene: &mut Scene, mesh: usize, offset: Vec3, scale: V3) {
        self.add_turned(scene, mesh, offset, scale, self.axes);
    }

    fn add_turned(&self, scene: &mut Scene, mesh: usize, offset: Vec3, scale: V3, axes: Mat3) {
        let position = self.position + self.axes * offset;
        let (surface, object, casts) = (self.surface, Some(self.object), self.moves);
        scene.instances.push(Instance { mesh, position, axes, scale, surface, object, both_sides: false, casts });
    }

    /// Adds a shape that is given by its kind and size.
    fn add_simple(&self, scene: &mut Scene, kind: GeomShape) {
        let [x, y, z] = self.size.map(|s| s as f32);
        let up = Vec3::Z * self.size[1];
        // Half a turn about x: what closes an end below.
        let turned = Mat3::from_cols(self.axes.col(0), self.axes.col(1) * -1.0, self.axes.col(2) * -1.0);
        match kind {
            GeomShape::Sphere => self.add(scene, SPHERE, Vec3::ZERO, [x; 3]),
            GeomShape::Ellipsoid => self.add(scene, SPHERE, Vec3::ZERO, [x, y, z]),
            GeomShape::Box => self.add(scene, CUBE, Vec3::ZERO, [x, y, z]),
            GeomShape::Capsule => {
                self.add(scene, CYLINDER, Vec3::ZERO, [x, x, y]);
                self.add(scene, HALF_SPHERE, up, [x; 3]);
                self.add_turned(scene, HALF_SPHERE, up * -1.0, [x; 3], turned);
            }
            GeomShape::Cylinder => {
                self.add(scene, CYLINDER, Vec3::ZERO, [x, x, y]);
                self.add(scene, DISC, up, [x, x, 1.0]);
                self.add_turned(scene, DISC, up * -1.0, [x, x, 1.0], turned);
            }
            // Sites are never planes; meshes and height fields have been added.
            GeomShape::Plane | GeomShape::Mesh | GeomShape::Hfield => {}
        }
    }
}

/// Numbers of an attribute of `<visual>`, or their defaults.
pub(crate) fn visual<const N: usize>(
    settings: &BTreeMap<String, BTreeMap<String, String>>,
    section: &str,
    key: &str,
    default: [f32; N],
) -> [f32; N] {
    let text = settings.get(section).and_then(|section| section.get(key));
    let mut found = default;
    for (value, word) in found.iter_mut().zip(text.map_or("", |t| t.as_str()).split_whitespace()) {
        *value = word.parse().unwrap_or(*value);
    }
    found
}

/// The lights of the model, and last the headlight, which moves with the camera: it is marked by
/// being at the origin of camera coordinates, see [`Light::head`].
fn update_lights(scene: &mut Scene, model: &Model, data: &Data) {
    scene.lights.clear();
    let lights = &model.lights;
    for l in (0..model.nlight()).filter(|&l| lights.active[l]) {
        let is_spot = lights.kind[l] == 0;
        scene.lights.push(Light {
            position: data.position.light_pos[l],
            direction: data.position.light_dir[l],
            ambient: lights.ambient[l],
            diffuse: lights.diffuse[l],
            specular: lights.specular[l],
            directional: lights.kind[l] == 1,
            attenuation: lights.attenuation[l],
            cutoff: if is_spot {
                saltus_math::real::cos(f64::from(lights.cutoff[l]).to_radians()) as f32
            } else {
                -1.0
            },
            exponent: lights.exponent[l],
            casts_shadow: lights.cast_shadow[l],
            head: false,
        });
    }
    let [active] = visual(&model.visual, "headlight", "active", [1.0]);
    if active != 0.0 {
        scene.lights.push(Light {
            position: Vec3::ZERO,
            direction: Vec3::new(0.0, 0.0, -1.0),
            ambient: visual(&model.visual, "headlight", "ambient", [0.1; 3]),
            diffuse: visual(&model.visual, "headlight", "diffuse", [0.4; 3]),
            specular: visual(&model.visual, "headlight", "specular", [0.5; 3]),
            directional: true,
            attenuation: [1.0, 0.0, 0.0],
            cutoff: -1.0,
            exponent: 0.0,
            casts_shadow: false,
            head: true,
        });
    }
}
