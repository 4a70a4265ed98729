//! From a model to its model for planning, top to bottom.

use super::ball::{Ball, protrusion};
use super::hidden::is_hidden;
use super::links::{self, Links};
use super::options::{GeometryError, GeometryOptions, Touch};
use super::report::{BodyFit, GeometryReport};
use super::shape::Placed;
use super::thin::{self, Draft};
use super::write::Writer;
use super::{Planning, body_name, round};
use saltus_sim::collide::pair_rule;
use saltus_sim::ids::GeomId;
use saltus_sim::model::kinds::GeomShape;
use saltus_sim::model::spec::LengthRangeMode;
use saltus_sim::{CompileError, Data, Model, ModelSpec, compile, update_position};
use std::borrow::Cow;

/// The compiled forms of a model that its planning geometry is made from. Several planning models
/// can be made from one.
#[derive(Debug)]
pub struct Shapes<'a> {
    spec: &'a ModelSpec,
    /// With every body and geom of the specification, so that ids follow its order.
    compiled: Cow<'a, Model>,
    /// The same with the frames of free bodies that were specified, where the compiler moves them.
    drawn: Option<Model>,
}

impl<'a> Shapes<'a> {
    /// From a specification and what it compiles to.
    pub fn new(spec: &'a ModelSpec, own: &'a Model) -> Result<Self, CompileError> {
        // Of what `plain` changes, lengths of actuators have nothing to do with geometry.
        let is_plain = !spec.compiler.fuse_static && !spec.compiler.discard_visual;
        let compiled = if is_plain { Cow::Borrowed(own) } else { Cow::Owned(compile(&plain(spec, true))?) };
        let drawn = is_aligned(spec).then(|| compile(&plain(spec, false))).transpose()?;
        Ok(Self { spec, compiled, drawn })
    }

    /// Makes the model for planning. A model in which nothing can touch the environment is not an
    /// error: [`GeometryReport::nothing_touches`] says so.
    pub fn planning(&self, options: &GeometryOptions) -> Result<Planning, GeometryError> {
        options.validate()?;
        let compiled = self.compiled.as_ref();
        let drawn = self.drawn.as_ref().unwrap_or(compiled);
        let chosen = Chosen::of(drawn, options)?;
        let nominal = nominal_pose(compiled, options)?;
        let mut report = GeometryReport::default();
        let links = Links { model: compiled, nominal: &nominal };
        let capsules = links::capsules(compiled);
        if options.touch == Touch::Shapes {
            let capsule_pairs = links.pairs(&capsules, &[], options, &mut report);
            return Ok(Planning { spec: self.spec.clone(), candidates: Vec::new(), capsules, capsule_pairs, report });
        }
        let drafts = draft(drawn, &chosen, &nominal, options, &mut report);
        let mut writer = Writer::new(self.spec, drawn, compiled, options.touched);
        for d in &drafts {
            writer.add(d, &mut report);
        }
        let (spec, candidates) = writer.finish();
        let capsule_pairs = links.pairs(&capsules, &chosen.between, options, &mut report);
        Ok(Planning { spec, candidates, capsules, capsule_pairs, report })
    }
}

/// Makes the model for planning from a specification alone; see [`Shapes::planning`].
pub fn build_planning_spec(spec: &ModelSpec, options: &GeometryOptions) -> Result<Planning, GeometryError> {
    options.validate()?;
    let own = compile(&plain(spec, true))?;
    Shapes::new(spec, &own)?.planning(options)
}

/// Keeps every body of a model that is planned for. Its planning twin has all of them, so that
/// bodies have the same ids in both: contacts of plans name bodies by id.
pub fn keep_bodies(spec: &mut ModelSpec) {
    spec.compiler.fuse_static = false;
}

/// The model with every body and geom that it was written with, so that ids follow the order of the
/// file. Frames of free bodies are those of the file, or with `aligned` those that the compiler
/// gives them.
fn plain(spec: &ModelSpec, aligned: bool) -> ModelSpec {
    let mut plain = spec.clone();
    keep_bodies(&mut plain);
    plain.compiler.discard_visual = false;
    plain.compiler.length_range.mode = LengthRangeMode::None;
    if !aligned {
        plain.compiler.align_free = false;
        plain.bodies.iter_mut().flat_map(|b| &mut b.joints).for_each(|j| j.align = Some(false));
        // Their free joints would count from other frames.
        plain.keys.clear();
    }
    plain
}

/// Whether the compiler may move frames of free bodies.
fn is_aligned(spec: &ModelSpec) -> bool {
    let mut joints = spec.bodies.iter().flat_map(|b| &b.joints);
    spec.compiler.align_free || joints.any(|j| j.align == Some(true))
}

/// What the options name, by ids.
pub(super) struct Chosen {
    /// For each body whether it is to touch the environment.
    environment: Vec<bool>,
    pub between: Vec<[usize; 2]>,
}

impl Chosen {
    fn of(model: &Model, options: &GeometryOptions) -> Result<Self, GeometryError> {
        let moves = |b: usize| model.bodies.tree[b].is_some();
        let environment = match &options.touch {
            Touch::Environment => (0..model.nbody()).map(moves).collect(),
            Touch::Nothing | Touch::Shapes => vec![false; model.nbody()],
            Touch::Bodies(names) => {
                let mut welds = Vec::with_capacity(names.len());
                for name in names {
                    let body = model.body(name)?.idx();
                    if !moves(body) {
                        return Err(GeometryError::Fixed { name: name.clone() });
                    }
                    welds.push(model.bodies.weld[body]);
                }
                // A named body, or one that is fixed to it.
                let weld = |b: usize| model.bodies.weld[b];
                (0..model.nbody()).map(|b| moves(b) && welds.contains(&weld(b))).collect()
            }
        };
        let mut between = Vec::with_capacity(options.between.len());
        for (first, second) in &options.between {
            let pair = [model.body(first)?.idx(), model.body(second)?.idx()];
            let apart = |why| GeometryError::Apart { first: first.clone(), second: second.clone(), why };
            if model.bodies.weld[pair[0]] == model.bodies.weld[pair[1]] {
                return Err(apart("there is no joint between them"));
            }
            let geoms = |b: usize| model.bodies.geoms[b].range().map(GeomId::new);
            if !geoms(pair[0]).any(|g| geoms(pair[1]).any(|h| pair_rule(model, g, h).is_some())) {
                return Err(apart("the model's filters (contype, conaffinity, exclude) keep all their shapes apart"));
            }
            between.push(pair);
        }
        Ok(Self { environment, between })
    }

    /// Whether the options let geoms of these bodies touch, the first by its candidates.
    fn allows(&self, model: &Model, first: usize, second: usize) -> bool {
        let named = self.between.contains(&[first, second]) || self.between.contains(&[second, first]);
        named || self.environment[first] && model.bodies.tree[second].is_none()
    }
}

fn nominal_pose(model: &Model, options: &GeometryOptions) -> Result<Data, GeometryError> {
    let mut data = Data::new(model);
    if let Some(name) = &options.nominal {
        data.reset_to_key(model, model.key(name)?);
    }
    update_position(model, &mut data);
    Ok(data)
}

/// All candidates, thinned out.
fn draft(
    model: &Model,
    chosen: &Chosen,
    nominal: &Data,
    options: &GeometryOptions,
    report: &mut GeometryReport,
) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for geom in 0..model.ngeom() {
        let body = model.geoms.body[geom].idx();
        if model.bodies.tree[body].is_none() || !links::collides(model, geom) {
            continue;
        }
        let (mut environment, others) = surfaces(model, chosen, geom);
        environment.retain(|&s| {
            let built_in = links::is_built_in(model, nominal, geom, s, options.near);
            if built_in {
                let names = [geom, s].map(|g| body_name(model, model.geoms.body[g].idx()));
                report.note(format!(
                    "{} and {} are next to each other by construction and do not touch",
                    names[0], names[1]
                ));
            }
            !built_in
        });
        let all = environment.clone();
        environment.retain(|&s| {
            let hidden = is_hidden(model, nominal, s, &all);
            if hidden {
                let name = model.geoms.name[s].clone();
                let name = if name.is_empty() { format!("geom {s}") } else { name };
                report.note(format!("{name} is behind a plane and is not touched"));
            }
            !hidden
        });
        if environment.is_empty() && others.is_empty() {
            continue;
        }
        let placed = Placed::of(model, geom);
        let balls = round::candidates(&placed, options);
        if balls.is_empty() {
            let kind = format!("{:?}", placed.kind).to_lowercase();
            report.note(format!("{}: a {kind} that moves has no candidates", body_name(model, body)));
        }
        let all = [environment, others.clone()].concat();
        drafts.extend(balls.into_iter().map(|ball| Draft { body, geom, ball, surfaces: all.clone(), extra: false }));
        if !others.is_empty() {
            let along = round::between_ends(&placed, options.tolerance, options.per_mesh);
            let surfaces = others;
            drafts.extend(along.into_iter().map(|ball| Draft {
                body,
                geom,
                ball,
                surfaces: surfaces.clone(),
                extra: true,
            }));
        }
    }
    drafts.retain(|d| !d.surfaces.is_empty());
    thin::drop_covered(&mut drafts);
    let before = drafts.clone();
    for body in thin::limit(&mut drafts, options.per_body) {
        report.note(format!("{}: only the {} candidates that span it best", body_name(model, body), options.per_body));
    }
    // What a joint carries along is spanned by the parent's candidates.
    let spanned = drafts.clone();
    thin::drop_at_joints(model, &mut drafts);
    report_fit(model, [&before, &spanned, &drafts], report);
    report.nothing_touches =
        !drafts.iter().any(|d| d.surfaces.iter().any(|&s| model.bodies.tree[model.geoms.body[s].idx()].is_none()));
    drafts
}

/// The shapes that candidates of a geom may touch: of the environment, and of bodies named to touch
/// its own.
fn surfaces(model: &Model, chosen: &Chosen, geom: usize) -> (Vec<usize>, Vec<usize>) {
    let (shape, body) = (&model.geoms.shape, model.geoms.body[geom].idx());
    let fits = |other: &usize| {
        let second = model.geoms.body[*other].idx();
        chosen.allows(model, body, second)
            && links::collides(model, *other)
            && pair_rule(model, GeomId::new(geom), GeomId::new(*other)).is_some()
    };
    let (fixed, moving): (Vec<usize>, Vec<usize>) =
        (0..model.ngeom()).filter(fits).partition(|&g| model.bodies.tree[model.geoms.body[g].idx()].is_none());
    // A sphere that moves is its own candidate, exact against the other's shape; two spheres touch
    // once.
    let needed = |g: &usize| shape[*g] != GeomShape::Sphere || shape[geom] == GeomShape::Sphere && geom < *g;
    (fixed, moving.into_iter().filter(needed).collect())
}

/// How well the candidates of each body span the shapes of which there were any: of all drafts,
/// those that stand for their body, and those that are written.
fn report_fit(model: &Model, [all, spanned, written]: [&[Draft]; 3], report: &mut GeometryReport) {
    for body in 0..model.nbody() {
        let balls: Vec<Ball> = spanned.iter().filter(|d| d.body == body).map(|d| d.ball).collect();
        let mut geoms: Vec<usize> = all.iter().filter(|d| d.body == body).map(|d| d.geom).collect();
        geoms.dedup();
        let candidates = written.iter().filter(|d| d.body == body).count();
        if geoms.is_empty() {
            continue;
        }
        let hull = geoms.iter().flat_map(|&g| Placed::of(model, g).hull());
        let error = hull.fold(0.0, |worst: f64, b| worst.max(protrusion(&b, &balls)));
        report.bodies.push(BodyFit { body: body_name(model, body), candidates, error });
    }
}
