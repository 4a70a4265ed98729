//! Names inside a spec: which elements a piece of a model has, and which names other elements refer
//! to.

use super::*;
use std::collections::BTreeSet;

/// Text put around the names of copied elements. Unnamed elements stay unnamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affix {
    /// With this before all names.
    pub prefix: String,
    /// With this after all names.
    pub suffix: String,
}

impl Affix {
    /// With this before all names.
    pub fn prefix(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), suffix: String::new() }
    }

    /// With this after all names.
    pub fn suffix(suffix: impl Into<String>) -> Self {
        Self { prefix: String::new(), suffix: suffix.into() }
    }

    /// Puts the text around a name.
    pub fn apply(&self, name: &mut String) {
        if !name.is_empty() {
            *name = format!("{}{name}{}", self.prefix, self.suffix);
        }
    }
}

/// Names of the elements of a piece of a model, by kind.
#[derive(Clone, Debug, Default)]
pub struct NameSet {
    names: BTreeSet<(ObjectKind, String)>,
}

impl NameSet {
    /// Names of bodies and of everything fixed to them. The first body is the world, or a stand-in
    /// for it.
    pub fn of_bodies(bodies: &[BodySpec]) -> Self {
        let mut set = Self::default();
        set.add_bodies(bodies);
        set
    }

    /// Adds the names of bodies and of everything fixed to them, as in
    /// [`of_bodies`](Self::of_bodies).
    pub fn add_bodies(&mut self, bodies: &[BodySpec]) {
        for (i, body) in bodies.iter().enumerate() {
            if i > 0 {
                self.insert(ObjectKind::Body, &body.name);
            }
            body.joints.iter().for_each(|x| self.insert(ObjectKind::Joint, &x.name));
            body.geoms.iter().for_each(|x| self.insert(ObjectKind::Geom, &x.name));
            body.sites.iter().for_each(|x| self.insert(ObjectKind::Site, &x.name));
            body.cameras.iter().for_each(|x| self.insert(ObjectKind::Camera, &x.name));
            body.lights.iter().for_each(|x| self.insert(ObjectKind::Light, &x.name));
        }
    }

    /// Adds a name.
    pub fn insert(&mut self, kind: ObjectKind, name: &str) {
        if !name.is_empty() {
            self.names.insert((kind, name.to_owned()));
        }
    }

    /// Whether there is such a name.
    pub fn has(&self, kind: ObjectKind, name: &str) -> bool {
        let kind = if kind == ObjectKind::XBody { ObjectKind::Body } else { kind };
        self.names.contains(&(kind, name.to_owned()))
    }
}

/// An element outside the kinematic tree that refers to others by name.
pub(super) trait Refers: Clone + PartialEq {
    const KIND: ObjectKind;
    /// Whether an attached copy may refer to elements of the model that it is attached to.
    const REACHES_HOST: bool;
    fn name_mut(&mut self) -> &mut String;
    /// Calls `f` with each name that the element refers to, and the kind of what is named.
    fn each_reference(&mut self, f: &mut dyn FnMut(ObjectKind, &mut String));

    /// Whether it is named or refers to anything, so that it can be recognized.
    fn refers(&self) -> bool {
        let mut copy = self.clone();
        let mut any = !copy.name_mut().is_empty();
        copy.each_reference(&mut |kind, name| any |= kind != ObjectKind::Unknown && !name.is_empty());
        any
    }

    /// How many references point into the set, and how many elsewhere. The world counts for
    /// neither.
    fn references_in(&self, set: &NameSet) -> (usize, usize) {
        let (mut inside, mut outside) = (0, 0);
        self.clone().each_reference(&mut |kind, name| {
            let world = matches!(kind, ObjectKind::Body | ObjectKind::XBody) && (name.is_empty() || *name == "world");
            if set.has(kind, name) {
                inside += 1;
            } else if !world && kind != ObjectKind::Unknown {
                outside += 1;
            }
        });
        (inside, outside)
    }

    /// A copy that refers to the renamed elements of the set.
    fn renamed(&self, set: &NameSet, affix: &Affix) -> Self {
        let mut copy = self.clone();
        affix.apply(copy.name_mut());
        copy.each_reference(&mut |kind, name| {
            if set.has(kind, name) {
                affix.apply(name);
            }
        });
        copy
    }
}

macro_rules! refers {
    ($($t:ty, $kind:ident, $reaches:literal, |$x:ident, $f:ident| $body:block)+) => {$(
        impl Refers for $t {
            const KIND: ObjectKind = ObjectKind::$kind;
            const REACHES_HOST: bool = $reaches;
            fn name_mut(&mut self) -> &mut String {
                &mut self.name
            }
            fn each_reference(&mut self, $f: &mut dyn FnMut(ObjectKind, &mut String)) {
                let $x = self;
                $body
            }
        }
    )+};
}

refers! {
    PairSpec, Pair, true, |x, f| {
        f(ObjectKind::Geom, &mut x.geom1);
        f(ObjectKind::Geom, &mut x.geom2);
    }
    ExcludeSpec, Exclude, true, |x, f| {
        f(ObjectKind::Body, &mut x.body1);
        f(ObjectKind::Body, &mut x.body2);
    }
    EqualitySpec, Equality, false, |x, f| {
        match &mut x.kind {
            EqualityKind::ConnectBodies { body1, body2, .. } | EqualityKind::WeldBodies { body1, body2, .. } => {
                f(ObjectKind::Body, body1);
                f(ObjectKind::Body, body2);
            }
            EqualityKind::ConnectSites { site1, site2 } | EqualityKind::WeldSites { site1, site2, .. } => {
                f(ObjectKind::Site, site1);
                f(ObjectKind::Site, site2);
            }
            EqualityKind::Joint { first, second, .. } => {
                f(ObjectKind::Joint, first);
                second.iter_mut().for_each(|s| f(ObjectKind::Joint, s));
            }
            EqualityKind::Tendon { first, second, .. } => {
                f(ObjectKind::Tendon, first);
                second.iter_mut().for_each(|s| f(ObjectKind::Tendon, s));
            }
        }
    }
    TendonSpec, Tendon, true, |x, f| {
        match &mut x.path {
            TendonPath::Fixed(terms) => terms.iter_mut().for_each(|(joint, _)| f(ObjectKind::Joint, joint)),
            TendonPath::Spatial(wraps) => {
                for wrap in wraps {
                    match wrap {
                        WrapSpec::Site(site) => f(ObjectKind::Site, site),
                        WrapSpec::Geom { geom, side_site } => {
                            f(ObjectKind::Geom, geom);
                            side_site.iter_mut().for_each(|s| f(ObjectKind::Site, s));
                        }
                        WrapSpec::Pulley(_) => {}
                    }
                }
            }
        }
    }
    ActuatorSpec, Actuator, false, |x, f| {
        match &mut x.transmission {
            TransmissionSpec::Joint(name) | TransmissionSpec::JointInParent(name) => f(ObjectKind::Joint, name),
            TransmissionSpec::Tendon(name) => f(ObjectKind::Tendon, name),
            TransmissionSpec::Body(name) => f(ObjectKind::Body, name),
            TransmissionSpec::SliderCrank { slider_site, crank_site } => {
                f(ObjectKind::Site, slider_site);
                f(ObjectKind::Site, crank_site);
            }
            TransmissionSpec::Site { site, ref_site } => {
                f(ObjectKind::Site, site);
                ref_site.iter_mut().for_each(|s| f(ObjectKind::Site, s));
            }
        }
    }
    SensorSpec, Sensor, true, |x, f| {
        let (kind, name) = &mut x.object;
        f(*kind, name);
        if let Some((kind, name)) = &mut x.reference {
            f(*kind, name);
        }
    }
    TupleSpec, Tuple, false, |x, f| {
        x.elements.iter_mut().for_each(|e| f(e.kind, &mut e.name));
    }
}
