//! From [`ModelSpec`] to [`Model`]: one file per group of tables, in order of dependency.

mod actuator;
mod align;
mod asset;
mod attached;
mod body;
mod chain;
mod contact;
mod custom;
mod eigen;
mod equality;
mod fluid;
mod fuse;
mod geom;
mod hfield;
mod inertial;
mod joint;
mod length_range;
mod limits;
mod mesh;
mod mobility;
mod names;
mod pose;
mod reference;
mod referenced;
mod sensor;
mod servo;
mod shape;
mod simple;
mod statistic;
mod tendon;
mod weights;
mod work;

pub use reference::update_reference;

use crate::model::kinds::ObjectKind;
use crate::model::spec::ModelSpec;
use crate::model::{CompileError, Model};
use asset::Assets;
use core::cell::Cell;
use names::{Element, Names, Outcome};
use work::WorkBody;

thread_local! {
    static COMPILED: Cell<usize> = const { Cell::new(0) };
}

/// Number of models compiled by this thread. Used by tests to verify that a run compiles each of
/// its models once.
pub fn compiled_models() -> usize {
    COMPILED.get()
}

/// Compiles a spec: checks it, resolves names, infers inertias, and lays the model out in tables.
pub fn compile(spec: &ModelSpec) -> Result<Model, CompileError> {
    COMPILED.set(COMPILED.get() + 1);
    let mut model = empty_model(spec);
    let Assets { mut names, meshes, hfield_size } = asset::fill_assets(spec, &mut model)?;
    let mut bodies = work::ordered_bodies(spec)?;
    let assets = Assets { names: std::mem::take(&mut names), meshes, hfield_size };
    build_attached(spec, &mut bodies, &assets)?;
    inertial::fill_inertials(&mut bodies, &spec.compiler)?;
    if spec.compiler.discard_visual {
        fuse::discard_visual(spec, &mut bodies)?;
    }
    if spec.compiler.fuse_static {
        bodies = fuse::fuse_static(spec, bodies)?;
    }
    align::align_free_bodies(&mut bodies, &spec.compiler);
    let mut names = assets.names;

    body::fill_bodies(spec, &bodies, &mut model)?;
    joint::fill_joints(spec, &bodies, &mut model)?;
    names.add(&model, ObjectKind::Body)?;
    attached::fill_geoms(spec, &bodies, &names, &mut model)?;
    attached::fill_sites(spec, &bodies, &names, &mut model)?;
    attached::fill_cameras(spec, &bodies, &names, &mut model)?;
    attached::fill_lights(&bodies, &names, &mut model)?;
    for kind in [ObjectKind::Joint, ObjectKind::Geom, ObjectKind::Site, ObjectKind::Camera, ObjectKind::Light] {
        names.add(&model, kind)?;
    }
    fill_couplings(spec, &mut names, &mut model)?;
    simple::fill_simple(&mut model)?;
    reference::fill_reference(spec, &bodies, &mut model)?;
    check_numbers(&model)?;
    length_range::fill_length_ranges(spec, &mut model)?;
    Ok(model)
}

/// Numbers that no stage can compute with: what is not finite, a time step that is not positive.
fn check_numbers(model: &Model) -> Outcome {
    model.validate().map_err(|e| Element::new("model", &model.name, 0, "").error(e.0))
}

/// Resolves geoms and sites of all bodies.
fn build_attached(spec: &ModelSpec, bodies: &mut [WorkBody], assets: &Assets) -> Outcome {
    let (mut geom_id, mut site_id) = (0, 0);
    for body in bodies.iter_mut() {
        for geom in &body.spec.geoms {
            let element = Element::new("geom", &geom.name, geom_id, &geom.place);
            body.geoms.push(geom::build_geom(geom, &element, assets, spec.compiler.fit_aabb)?);
            geom_id += 1;
        }
        for site in &body.spec.sites {
            let element = Element::new("site", &site.name, site_id, &site.place);
            body.sites.push(geom::build_site(site, &element, assets)?);
            site_id += 1;
        }
    }
    Ok(())
}

/// Fills all elements that refer to bodies, joints, geoms and sites by name.
fn fill_couplings(spec: &ModelSpec, names: &mut Names, model: &mut Model) -> Outcome {
    contact::fill_pairs(spec, names, model)?;
    contact::fill_excludes(spec, names, model)?;
    tendon::fill_tendons(spec, names, model)?;
    names.add(model, ObjectKind::Tendon)?;
    equality::fill_equalities(spec, names, model)?;
    actuator::fill_actuators(spec, names, model)?;
    names.add(model, ObjectKind::Actuator)?;
    sensor::fill_sensors(spec, names, model)?;
    custom::fill_data(spec, model)?;
    custom::fill_keys(spec, model)?;
    for kind in [
        ObjectKind::Pair,
        ObjectKind::Exclude,
        ObjectKind::Equality,
        ObjectKind::Sensor,
        ObjectKind::Numeric,
        ObjectKind::Text,
        ObjectKind::Key,
    ] {
        names.add(model, kind)?;
    }
    let tuples = spec.tuples.iter().map(|t| t.name.as_str());
    names.add_names(ObjectKind::Tuple, tuples)?;
    custom::fill_tuples(spec, names, model)
}

fn empty_model(spec: &ModelSpec) -> Model {
    Model {
        name: spec.name.clone(),
        options: spec.options.clone(),
        statistic: Default::default(),
        size: crate::model::Sizes { nuserdata: spec.size.user_data, ..Default::default() },
        q0: Vec::new(),
        q_spring: Vec::new(),
        bodies: Default::default(),
        trees: Default::default(),
        joints: Default::default(),
        dofs: Default::default(),
        geoms: Default::default(),
        sites: Default::default(),
        cameras: Default::default(),
        lights: Default::default(),
        meshes: Default::default(),
        hfields: Default::default(),
        textures: Default::default(),
        materials: Default::default(),
        pairs: Default::default(),
        excludes: Default::default(),
        near: Default::default(),
        equalities: Default::default(),
        tendons: Default::default(),
        wraps: Default::default(),
        actuators: Default::default(),
        sensors: Default::default(),
        numerics: Default::default(),
        texts: Default::default(),
        tuples: Default::default(),
        keys: Default::default(),
        mass_pattern: Default::default(),
        visual: spec.visual.clone(),
    }
}
