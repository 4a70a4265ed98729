//! Elements outside of the kinematic tree that come along when a piece of a model is copied.

use super::attach::settle_limit;
use super::names::{Affix, NameSet, Refers};
use super::*;
use core::cell::OnceCell;

/// How a piece of another model was attached.
#[allow(missing_debug_implementations)]
pub struct Joining<'a> {
    /// Text around the names of copies.
    pub affix: &'a Affix,
    /// Names of the bodies of the piece and of what is fixed to them, without the affix.
    pub piece: NameSet,
    /// Makes the names of all bodies, and of what is fixed to them, of the model with the piece.
    pub host: &'a dyn Fn() -> NameSet,
    /// Whether the piece is all of the other model, so that nothing in it is outside.
    pub whole: bool,
    /// Whether a piece with this affix was attached before, so that copies may be there already.
    pub again: bool,
}

/// Copies of the elements that refer to an attached piece.
#[derive(Debug, Default)]
pub struct References {
    tendons: Vec<TendonSpec>,
    actuators: Vec<ActuatorSpec>,
    equalities: Vec<EqualitySpec>,
    pairs: Vec<PairSpec>,
    excludes: Vec<ExcludeSpec>,
    sensors: Vec<SensorSpec>,
    tuples: Vec<TupleSpec>,
    warnings: Vec<String>,
    /// Where the actuators of the other model are in this one.
    places: Vec<Option<usize>>,
}

/// Looks up names while elements are copied.
struct Scope<'a> {
    joining: Joining<'a>,
    /// Names of the model; made when a name is not in the piece.
    host: OnceCell<NameSet>,
    model: &'a ModelSpec,
    /// Names of what was left out with a warning.
    left_out: NameSet,
    warnings: Vec<String>,
}

impl Scope<'_> {
    fn in_host(&self, kind: ObjectKind, name: &str) -> bool {
        let host = self.host.get_or_init(|| {
            let mut host = (self.joining.host)();
            host.insert(ObjectKind::Body, "world");
            self.model.tendons.iter().for_each(|x| host.insert(ObjectKind::Tendon, &x.name));
            self.model.actuators.iter().for_each(|x| host.insert(ObjectKind::Actuator, &x.name));
            self.model.sensors.iter().for_each(|x| host.insert(ObjectKind::Sensor, &x.name));
            host
        });
        host.has(kind, name)
    }

    /// The copy of an element of the other model; None if it does not belong to what is copied, or
    /// if not all that it refers to is there.
    fn copy<T: Refers>(&mut self, x: &T) -> Option<T> {
        let mut copy = x.clone();
        let (mut inside, mut missing, mut any) = (false, None, false);
        let mut warn = self.joining.whole;
        copy.each_reference(&mut |kind, name| {
            let world = matches!(kind, ObjectKind::Body | ObjectKind::XBody) && name == "world";
            if kind == ObjectKind::Unknown || name.is_empty() || (world && !T::REACHES_HOST) {
                return;
            }
            any = true;
            let mut affixed = name.clone();
            self.joining.affix.apply(&mut affixed);
            if self.joining.piece.has(kind, name) || self.in_host(kind, &affixed) {
                inside = true;
                *name = affixed;
            } else if !(T::REACHES_HOST && self.in_host(kind, name)) {
                warn |= self.left_out.has(kind, name);
                missing.get_or_insert_with(|| name.clone());
            }
        });
        if missing.is_none() && (inside || !any) {
            self.joining.piece.insert(T::KIND, copy.name_mut());
            self.joining.affix.apply(copy.name_mut());
            return Some(copy);
        }
        if inside || warn {
            self.left_out.insert(T::KIND, copy.name_mut());
            let (what, name) = (format!("{:?}", T::KIND).to_lowercase(), copy.name_mut());
            let why = match missing {
                Some(missing) => format!("refers to {missing:?}, which is not part of what is attached"),
                None => "refers to nothing but the world".to_owned(),
            };
            self.warnings.push(format!("{what} {name:?} is not attached: it {why}"));
        }
        None
    }
}

impl ModelSpec {
    /// Copies of the elements of another model that refer to an attached piece of it, for
    /// [`add_references`](Self::add_references).
    ///
    /// Names are those of copies if there are such, so that what refers to two bodies comes along
    /// with the second of them. Otherwise tendons, pairs, exclusions, and sensors may refer to
    /// elements of this model by names without the affix. An element that refers to a copy and to
    /// something that does not exist is left out, as in the reference engine, with a warning.
    pub fn copied_references(&self, child: &ModelSpec, joining: Joining) -> References {
        let settle = child.compiler.auto_limits && !self.compiler.auto_limits;
        let (affix, again) = (joining.affix, joining.again);
        let mut scope =
            Scope { joining, host: OnceCell::new(), model: self, left_out: NameSet::default(), warnings: Vec::new() };
        let mut copies = References::default();
        macro_rules! copy {
            ($list:ident, $finish:expr) => {
                for x in &child.$list {
                    let copy = scope.copy(x).and_then(|mut copy| {
                        $finish(&mut copy);
                        let known = again && copy.refers() && self.$list.contains(&copy);
                        (!known).then_some(copy)
                    });
                    copies.$list.extend(copy);
                }
            };
        }
        copy!(tendons, |x: &mut TendonSpec| {
            // Tendons may be drawn with a material, which is an asset of the child.
            x.material.iter_mut().for_each(|m| affix.apply(m));
            if settle {
                settle_limit(&mut x.limited, x.range);
                settle_limit(&mut x.actuator_force_limited, x.actuator_force_range);
            }
        });
        for x in &child.actuators {
            let copy = scope.copy(x).map(|mut copy| {
                if settle {
                    settle_limit(&mut copy.ctrl_limited, copy.ctrl_range);
                    settle_limit(&mut copy.force_limited, copy.force_range);
                    settle_limit(&mut copy.activation_limited, copy.activation_range);
                }
                copy
            });
            let known = copy.as_ref().filter(|_| again).and_then(|copy| self.actuators.iter().position(|x| x == copy));
            let new = copy.filter(|_| known.is_none());
            copies.places.push(known.or(new.as_ref().map(|_| self.actuators.len() + copies.actuators.len())));
            copies.actuators.extend(new);
        }
        copy!(equalities, |_| ());
        copy!(pairs, |_| ());
        copy!(excludes, |_| ());
        copy!(sensors, |_| ());
        copy!(tuples, |_| ());
        copies.warnings = scope.warnings;
        copies
    }

    /// Adds the elements that refer to an attached piece. Says where the actuators of the other
    /// model are now.
    pub fn add_references(&mut self, copies: References) -> Vec<Option<usize>> {
        self.tendons.extend(copies.tendons);
        self.actuators.extend(copies.actuators);
        self.equalities.extend(copies.equalities);
        self.pairs.extend(copies.pairs);
        self.excludes.extend(copies.excludes);
        self.sensors.extend(copies.sensors);
        self.tuples.extend(copies.tuples);
        self.warnings.extend(copies.warnings);
        copies.places
    }

    /// Adds a renamed copy of every element that refers to the set, and to nothing else.
    pub fn copy_references(&mut self, mut set: NameSet, affix: &Affix) {
        macro_rules! copy {
            ($($list:ident),+) => {$(
                let inside: Vec<_> = self.$list.iter().filter(|x| matches!(x.references_in(&set), (1.., 0))).cloned().collect();
                inside.iter().for_each(|x| note(&mut set, x));
                self.$list.extend(inside.iter().map(|x| x.renamed(&set, affix)));
            )+};
        }
        copy!(tendons, actuators, equalities, pairs, excludes, sensors, tuples);
    }

    /// Replaces every element that refers to the set by one copy per affix. Actuators, equalities
    /// and tuples that refer to something else as well go, as in the reference engine, with a
    /// warning.
    pub fn replicate_references(&mut self, mut set: NameSet, affixes: &[Affix]) -> Result<(), AttachError> {
        macro_rules! replicate {
            ($($list:ident),+) => {$(
                let (inside, mut all): (Vec<_>, Vec<_>) =
                    std::mem::take(&mut self.$list).into_iter().partition(|x| x.references_in(&set).0 > 0);
                if all.len().saturating_add(inside.len().saturating_mul(affixes.len())) > MAX_ELEMENTS {
                    return Err(AttachError::TooMany { count: affixes.len() });
                }
                inside.iter().for_each(|x| note(&mut set, x));
                for affix in affixes {
                    all.extend(inside.iter().map(|x| x.renamed(&set, affix)));
                }
                self.$list = all;
            )+};
        }
        macro_rules! drop_mixed {
            ($($list:ident, $what:literal),+) => {$(
                let (mixed, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.$list)
                    .into_iter()
                    .partition(|x| matches!(x.references_in(&set), (1.., 1..)));
                let warning = |mut x| {
                    let name = Refers::name_mut(&mut x);
                    format!("{} {name:?} refers to a replica and to something else; it is left out", $what)
                };
                self.warnings.extend(mixed.into_iter().map(warning));
                self.$list = rest;
            )+};
        }
        replicate!(tendons);
        drop_mixed!(actuators, "actuator", equalities, "equality", tuples, "tuple");
        replicate!(actuators, equalities, pairs, excludes, sensors, tuples);
        Ok(())
    }
}

fn note<T: Refers>(set: &mut NameSet, x: &T) {
    let mut x = x.clone();
    set.insert(T::KIND, x.name_mut());
}
