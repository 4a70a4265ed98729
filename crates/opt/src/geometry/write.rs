//! Candidates and their pairs, written into the model.

use super::options::Touched;
use super::report::GeometryReport;
use super::shape::Placed;
use super::thin::Draft;
use super::{Candidate, body_name, keep_bodies, links};
use saltus_math::{Quat, Vec3, normalize};
use saltus_sim::Model;
use saltus_sim::collide::{PairRule, pair_rule};
use saltus_sim::ids::{BodyId, GeomId};
use saltus_sim::model::kinds::GeomShape;
use saltus_sim::model::spec::{GeomSpec, ModelSpec, PairSpec, SpecBody};
use std::collections::{BTreeMap, BTreeSet};

/// Colour of what is added: none, so that rays pass.
const RGBA: [f32; 4] = [0.9, 0.4, 0.1, 0.0];

pub(super) struct Writer<'a> {
    spec: ModelSpec,
    /// As drawn in the file, and as compiled: free bodies may have other frames.
    drawn: &'a Model,
    compiled: &'a Model,
    touched: Touched,
    order: Vec<SpecBody>,
    names: BTreeSet<String>,
    /// Names of geoms that are surfaces, or of what stands for them.
    surfaces: BTreeMap<usize, String>,
    /// Candidates so far of each geom.
    count: BTreeMap<usize, usize>,
    candidates: Vec<Candidate>,
}

impl<'a> Writer<'a> {
    /// A copy of the model in which nothing collides.
    pub fn new(spec: &ModelSpec, drawn: &'a Model, compiled: &'a Model, touched: Touched) -> Self {
        let mut spec = spec.clone();
        // Bodies and geoms keep their places; geoms that no longer collide are not merely looks.
        keep_bodies(&mut spec);
        spec.compiler.discard_visual = false;
        spec.pairs.clear();
        let mut names = BTreeSet::new();
        for geom in spec.bodies.iter_mut().flat_map(|b| &mut b.geoms) {
            (geom.contype, geom.conaffinity) = (0, 0);
            names.insert(geom.name.clone());
        }
        let order = spec.preorder();
        let (surfaces, count) = (BTreeMap::new(), BTreeMap::new());
        Self { spec, drawn, compiled, touched, order, names, surfaces, count, candidates: Vec::new() }
    }

    pub fn finish(self) -> (ModelSpec, Vec<Candidate>) {
        (self.spec, self.candidates)
    }

    /// Adds a candidate and its pairs.
    pub fn add(&mut self, draft: &Draft, report: &mut GeometryReport) {
        let source = self.source(draft.geom).clone();
        let k = self.count.entry(draft.geom).or_default();
        let label = if source.name.is_empty() { format!("{}", draft.geom) } else { source.name.clone() };
        let wish = format!("plan:{label}:{k}");
        *k += 1;
        let name = self.unused(wish);
        let mut geom = massless(&source, name.clone());
        (geom.shape, geom.size) = (GeomShape::Sphere, [draft.ball.radius, 0.0, 0.0]);
        let placed = Placed::of(self.drawn, draft.geom);
        (geom.pos, geom.quat) = (draft.ball.centre, self.drawn.geoms.quat[draft.geom]);
        geom.surface_velocity = moved(source.surface_velocity, placed.to_local(draft.ball.centre));
        self.push(draft.body, geom);
        self.candidates.push(Candidate {
            body: BodyId::new(draft.body),
            body_name: body_name(self.drawn, draft.body),
            geom: name.clone(),
            position: self.in_compiled(draft.geom, draft.ball.centre),
            radius: draft.ball.radius,
            source: source.name,
        });
        for &surface in &draft.surfaces {
            let Some(rule) = pair_rule(self.drawn, GeomId::new(draft.geom), GeomId::new(surface)) else { continue };
            let other = self.surface_name(surface, report);
            if rule.dim > 3 {
                report.note("torsional and rolling friction (condim 4 and 6) are left out: condim is 3".into());
            }
            self.spec.pairs.push(pair(&rule, name.clone(), other));
            report.pairs += 1;
        }
    }

    /// The spec of a geom.
    fn source(&self, geom: usize) -> &GeomSpec {
        let body = self.drawn.geoms.body[geom].idx();
        let first = self.drawn.bodies.geoms[body].start as usize;
        &self.spec.bodies[self.order[body].0].geoms[geom - first]
    }

    fn push(&mut self, body: usize, geom: GeomSpec) {
        self.spec.bodies[self.order[body].0].geoms.push(geom);
    }

    /// A point of a geom's body in the frame that the compiler gives the body.
    fn in_compiled(&self, geom: usize, p: Vec3) -> Vec3 {
        Placed::of(self.compiled, geom).to_body(Placed::of(self.drawn, geom).to_local(p))
    }

    /// Name of what candidates touch for a geom; made if it has none.
    fn surface_name(&mut self, geom: usize, report: &mut GeometryReport) -> String {
        if let Some(name) = self.surfaces.get(&geom) {
            return name.clone();
        }
        let (body, kind) = (self.drawn.geoms.body[geom].idx(), self.drawn.geoms.shape[geom]);
        let moves = self.drawn.bodies.tree[body].is_some();
        let angular = matches!(kind, GeomShape::Box | GeomShape::Mesh);
        let capsule = (moves && angular && self.touched == Touched::Capsule).then(|| self.add_capsule(geom, report));
        let name = capsule.flatten().unwrap_or_else(|| self.own_name(geom));
        if kind == GeomShape::Hfield {
            report.note(format!(
                "height field {name}: each triangle within reach makes a contact, and those of balls that sink in with \
                 their centre may jump"
            ));
        }
        self.surfaces.insert(geom, name.clone());
        name
    }

    fn own_name(&mut self, geom: usize) -> String {
        let name = self.source(geom).name.clone();
        if !name.is_empty() {
            return name;
        }
        let name = self.unused(format!("plan:surface:{geom}"));
        let body = self.drawn.geoms.body[geom].idx();
        let first = self.drawn.bodies.geoms[body].start as usize;
        self.spec.bodies[self.order[body].0].geoms[geom - first].name.clone_from(&name);
        name
    }

    /// Adds the capsule around a geom.
    fn add_capsule(&mut self, geom: usize, report: &mut GeometryReport) -> Option<String> {
        let placed = Placed::of(self.drawn, geom);
        let capsule = links::around(core::slice::from_ref(&placed))?;
        let source = self.source(geom).clone();
        let name = self.unused(format!("plan:capsule:{geom}"));
        let mut shape = massless(&source, name.clone());
        let [a, b] = capsule.ends;
        let (axis, length) = normalize(b - a);
        shape.pos = 0.5 * (a + b);
        (shape.shape, shape.size) = (GeomShape::Sphere, [capsule.radius, 0.0, 0.0]);
        if length > 1e-9 {
            (shape.shape, shape.size[1]) = (GeomShape::Capsule, 0.5 * length);
            shape.quat = Quat::from_z_to(axis);
        }
        shape.surface_velocity = [0.0; 6];
        let body = self.drawn.geoms.body[geom].idx();
        self.push(body, shape);
        let excess = capsule.excess(&placed.hull());
        report.note(format!(
            "{}: geom {label:?} is touched as a capsule, which exceeds it by up to {:.1} mm",
            body_name(self.drawn, body),
            1e3 * excess,
            label = source.name,
        ));
        Some(name)
    }

    fn unused(&mut self, wish: String) -> String {
        let mut name = wish.clone();
        for k in 2.. {
            if self.names.insert(name.clone()) {
                break;
            }
            name = format!("{wish}:{k}");
        }
        name
    }
}

/// A geom without mass that nothing touches by itself.
fn massless(source: &GeomSpec, name: String) -> GeomSpec {
    GeomSpec {
        name,
        contype: 0,
        conaffinity: 0,
        mass: Some(0.0),
        density: 0.0,
        group: source.group,
        surface_velocity: source.surface_velocity,
        rgba: RGBA,
        cast_shadow: false,
        place: source.place.clone(),
        ..GeomSpec::default()
    }
}

/// The velocity of a surface about another point.
fn moved(velocity: [f64; 6], to: Vec3) -> [f64; 6] {
    let (linear, angular) = (Vec3::from_slice(&velocity), Vec3::from_slice(&velocity[3..]));
    let linear = linear + angular.cross(to);
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

fn pair(rule: &PairRule, geom1: String, geom2: String) -> PairSpec {
    PairSpec {
        name: String::new(),
        geom1,
        geom2,
        condim: Some(i32::from(rule.dim.min(3))),
        friction: Some(rule.friction),
        solref: Some(rule.solref),
        solref_friction: rule.solref_friction,
        solimp: Some(rule.solimp),
        margin: Some(rule.margin),
        gap: Some(rule.gap),
        adhesion: Some(rule.adhesion),
        place: String::new(),
    }
}
