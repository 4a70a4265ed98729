//! Random kinematic trees with every kind of joint, off-centre anchors, several joints per body,
//! springs, tendons and actuators: the subjects of the tests of physical laws.

use saltus_math::{Random, Vec3};
use saltus_sim::model::kinds::{GeomShape, JointKind};
use saltus_sim::model::spec::{
    ActuatorSpec, BodySpec, GeomSpec, InertialSpec, JointSpec, SiteSpec, SpecBody, TendonPath, TendonSpec,
    TransmissionSpec, WrapSpec,
};
use saltus_sim::{Data, Model, ModelSpec, compile};

/// What a random tree contains.
#[derive(Clone, Copy)]
pub struct Recipe {
    pub bodies: usize,
    /// One tree that floats freely, instead of trees fixed to the world.
    pub floating: bool,
    /// A chain without branches.
    pub chain: bool,
    pub springs: bool,
    pub dampers: bool,
    pub armature: bool,
    pub tendons: bool,
    /// Tendons go around spheres and cylinders.
    pub wrapping: bool,
    pub actuators: bool,
    pub gravity: bool,
}

impl Recipe {
    pub const PLAIN: Recipe = Recipe {
        bodies: 9,
        floating: false,
        chain: false,
        springs: false,
        dampers: false,
        armature: false,
        tendons: false,
        wrapping: false,
        actuators: false,
        gravity: true,
    };
    pub const FULL: Recipe = Recipe {
        springs: true,
        dampers: true,
        armature: true,
        tendons: true,
        wrapping: true,
        actuators: true,
        ..Self::PLAIN
    };

    pub fn build(&self, seed: u64) -> Model {
        compile(&self.spec(seed)).unwrap()
    }

    pub fn spec(&self, seed: u64) -> ModelSpec {
        let random = &mut Random(seed);
        let mut spec = ModelSpec::new("random tree");
        if !self.gravity {
            spec.options.gravity = Vec3::ZERO;
        }
        for i in 0..self.bodies {
            // Mostly chains, with some branching.
            let first = usize::from(self.floating && i > 0);
            let parent = if self.chain || random.chance(0.6) { i } else { first + random.below(i + 1 - first) };
            let body = self.body(random, i, parent);
            spec.add_body(SpecBody(parent), body);
        }
        if self.tendons {
            self.add_tendons(random, &mut spec);
        }
        if self.actuators {
            self.add_actuators(random, &mut spec);
        }
        spec
    }

    fn body(&self, random: &mut Random, i: usize, parent: usize) -> BodySpec {
        let free = if self.floating { i == 0 } else { parent == 0 && random.chance(0.3) };
        let count = if i == 0 { 1 + random.below(2) } else { random.below(4) };
        let mut kinds = vec![];
        let any = [JointKind::Hinge, JointKind::Hinge, JointKind::Slide, JointKind::Ball];
        for _ in 0..count {
            // MJCF allows no rotation after a ball joint.
            let after_ball = kinds.contains(&JointKind::Ball);
            kinds.push(if after_ball { JointKind::Slide } else { any[random.below(4)] });
        }
        if free {
            kinds = vec![JointKind::Free];
        }
        let joints =
            kinds.into_iter().enumerate().map(|(k, kind)| self.joint(random, format!("j{i}_{k}"), kind)).collect();
        // Principal moments of a real body satisfy the triangle inequality.
        let m = Vec3::new(random.range(0.01, 0.1), random.range(0.01, 0.1), random.range(0.01, 0.1));
        let diag = Vec3::new(m.y + m.z, m.x + m.z, m.x + m.y);
        let inertial =
            InertialSpec { mass: random.range(0.5, 2.0), pos: random.vec3(0.2), quat: random.quat(), diag, full: None };
        let site = |random: &mut Random, name: String| SiteSpec {
            name,
            pos: random.vec3(0.3),
            quat: random.quat(),
            ..Default::default()
        };
        let shape = if random.chance(0.5) { GeomShape::Sphere } else { GeomShape::Cylinder };
        let geom = GeomSpec {
            name: format!("g{i}"),
            shape,
            size: [random.range(0.05, 0.15), 0.2, 0.0],
            pos: random.vec3(0.2),
            quat: random.quat(),
            ..Default::default()
        };
        BodySpec {
            name: format!("b{i}"),
            pos: random.vec3(0.5),
            quat: random.quat(),
            inertial: Some(inertial),
            joints,
            geoms: vec![geom],
            sites: vec![site(random, format!("s{i}")), site(random, format!("t{i}"))],
            ..Default::default()
        }
    }

    fn joint(&self, random: &mut Random, name: String, kind: JointKind) -> JointSpec {
        let poly = |random: &mut Random, on: bool| {
            if on { [random.range(0.0, 3.0), random.range(0.0, 1.0), random.range(0.0, 1.0)] } else { [0.0; 3] }
        };
        let free = kind == JointKind::Free;
        let scalar = matches!(kind, JointKind::Hinge | JointKind::Slide);
        JointSpec {
            name,
            kind,
            pos: if free { Vec3::ZERO } else { random.vec3(0.2) },
            axis: random.axis(),
            reference: if scalar { random.range(-0.5, 0.5) } else { 0.0 },
            spring_reference: if scalar { random.range(-0.5, 0.5) } else { 0.0 },
            // A spring or damper between a floating body and the world would not be an internal
            // force.
            stiffness: poly(random, self.springs && !free),
            damping: poly(random, self.dampers && !free).map(|d| 0.2 * d),
            armature: if self.armature { random.range(0.0, 0.3) } else { 0.0 },
            ..Default::default()
        }
    }

    fn add_tendons(&self, random: &mut Random, spec: &mut ModelSpec) {
        let scalar = names(spec, |k| matches!(k, JointKind::Hinge | JointKind::Slide));
        for t in 0..4 {
            let path = if t < 2 && scalar.len() > 2 {
                let start = random.below(scalar.len());
                let joint = |k: usize| scalar[(start + k) % scalar.len()].clone();
                TendonPath::Fixed((0..3).map(|k| (joint(k), random.range(-1.0, 1.0))).collect())
            } else {
                TendonPath::Spatial(self.path(random))
            };
            let mut tendon = TendonSpec::new(format!("ten{t}"), path);
            if self.springs {
                tendon.stiffness = [random.range(0.0, 3.0), random.range(0.0, 1.0), random.range(0.0, 1.0)];
                tendon.spring_length = [random.range(0.0, 0.3); 2];
            }
            if self.dampers {
                tendon.damping = [random.range(0.0, 0.2), 0.1, 0.1];
            }
            // As in MJCF, the rate of a wrapped tendon's Jacobian leaves out how the path slides
            // over the obstacle, and inertia that couples branches is left out of M.
            if self.armature && self.chain && !self.wrapping {
                tendon.armature = random.range(0.0, 0.3);
            }
            spec.tendons.push(tendon);
        }
    }

    fn path(&self, random: &mut Random) -> Vec<WrapSpec> {
        let mut path = vec![];
        let mut last = random.below(self.bodies);
        path.push(WrapSpec::Site(format!("s{last}")));
        for _ in 0..2 {
            let next = (last + 1 + random.below(self.bodies - 1)) % self.bodies;
            if self.wrapping {
                let g = random.below(self.bodies);
                let side_site = random.chance(0.3).then(|| format!("t{g}"));
                path.push(WrapSpec::Geom { geom: format!("g{g}"), side_site });
            }
            path.push(WrapSpec::Site(format!("s{next}")));
            last = next;
        }
        path.push(WrapSpec::Pulley(2.0));
        path.push(WrapSpec::Site("t0".into()));
        path.push(WrapSpec::Site(format!("s{}", self.bodies - 1)));
        path
    }

    fn add_actuators(&self, random: &mut Random, spec: &mut ModelSpec) {
        let mut transmissions: Vec<TransmissionSpec> = Vec::new();
        for name in names(spec, |_| true) {
            transmissions.push(if random.chance(0.5) {
                TransmissionSpec::Joint(name)
            } else {
                TransmissionSpec::JointInParent(name)
            });
        }
        transmissions.extend(spec.tendons.iter().map(|t| TransmissionSpec::Tendon(t.name.clone())));
        let (crank_site, slider_site) = (format!("s{}", self.bodies - 1), "t0".to_string());
        transmissions.push(TransmissionSpec::SliderCrank { slider_site, crank_site });
        let last = self.bodies - 1;
        transmissions.push(TransmissionSpec::Site { site: format!("s{last}"), ref_site: None });
        transmissions.push(TransmissionSpec::Site { site: format!("t{last}"), ref_site: Some("s0".into()) });
        for (k, transmission) in transmissions.into_iter().enumerate() {
            let mut actuator = ActuatorSpec::motor(format!("a{k}"), transmission);
            actuator.gear = core::array::from_fn(|_| random.range(-2.0, 2.0));
            // Long enough to reach the pin in every pose.
            actuator.crank_length = 20.0;
            spec.actuators.push(actuator);
        }
    }
}

/// Names of the joints of some kinds.
fn names(spec: &ModelSpec, keep: impl Fn(JointKind) -> bool) -> Vec<String> {
    spec.bodies.iter().flat_map(|b| &b.joints).filter(|j| keep(j.kind)).map(|j| j.name.clone()).collect()
}

/// Data in a random state, with random inputs.
pub fn random_data(model: &Model, random: &mut Random) -> Data {
    let mut data = Data::new(model);
    for j in 0..model.njoint() {
        let i = model.joints.q_start[j] as usize;
        let q = &mut data.state.q;
        match model.joints.kind[j] {
            JointKind::Free => {
                random.vec3(1.0).write_to_slice(&mut q[i..]);
                q[i + 3..i + 7].copy_from_slice(&random.quat().to_array());
            }
            JointKind::Ball => q[i..i + 4].copy_from_slice(&random.quat().to_array()),
            JointKind::Slide => q[i] = random.range(-0.4, 0.4),
            JointKind::Hinge => q[i] = random.range(-3.0, 3.0),
        }
    }
    fill(&mut data.state.v, random);
    fill(&mut data.input.ctrl, random);
    data
}

/// Fills a slice with random numbers in (−1, 1).
pub fn fill(x: &mut [f64], random: &mut Random) {
    x.iter_mut().for_each(|x| *x = random.range(-1.0, 1.0));
}
