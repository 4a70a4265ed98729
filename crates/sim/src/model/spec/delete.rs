//! Removing a body with everything that depends on it.

use super::names::{NameSet, Refers};
use super::*;

/// What is left of a model after a removal: former indices of the remaining elements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Remaining {
    /// Bodies.
    pub bodies: Vec<usize>,
    /// Pairs of geoms.
    pub pairs: Vec<usize>,
    /// Exclusions.
    pub excludes: Vec<usize>,
    /// Equality constraints.
    pub equalities: Vec<usize>,
    /// Tendons.
    pub tendons: Vec<usize>,
    /// Actuators.
    pub actuators: Vec<usize>,
    /// Sensors.
    pub sensors: Vec<usize>,
    /// Tuples.
    pub tuples: Vec<usize>,
}

impl ModelSpec {
    /// Removes a body, everything below it, and every tendon, actuator, sensor, equality, pair,
    /// exclusion, and tuple that refers to something in it. Keyframes lose its numbers. The world
    /// stays.
    pub fn delete_body(&mut self, body: SpecBody) -> Remaining {
        let before = self.key_layout();
        let removed = subtree(&self.bodies, body);
        let mut gone = NameSet::of_bodies(&removed);
        let mut left = Remaining { bodies: self.outside(body), ..Remaining::default() };
        self.remove_subtree(body, SpecBody(0));
        macro_rules! drop_dependent {
            ($($list:ident),+) => {$(
                let mut index = 0;
                self.$list.retain_mut(|x| {
                    let stays = x.references_in(&gone).0 == 0;
                    if stays {
                        left.$list.push(index);
                    } else {
                        gone.insert(kind_of(x), x.name_mut());
                    }
                    index += 1;
                    stays
                });
            )+};
        }
        drop_dependent!(tendons, actuators, equalities, pairs, excludes, sensors, tuples);
        let now = |list: &[usize], old: usize| list.binary_search(&old).ok();
        let keys = std::mem::take(&mut self.keys);
        let moved = |key| self.moved_key(key, &before, &|b| now(&left.bodies, b), &|a| now(&left.actuators, a));
        self.keys = keys.iter().map(moved).collect();
        left
    }

    /// Indices of the bodies that are not below one, which is not among them either.
    fn outside(&self, body: SpecBody) -> Vec<usize> {
        let mut inside = vec![false; self.bodies.len()];
        for i in 1..self.bodies.len() {
            inside[i] = i == body.0 || inside[self.bodies[i].parent.0];
        }
        (0..self.bodies.len()).filter(|i| !inside[*i]).collect()
    }
}

fn kind_of<T: Refers>(_: &T) -> ObjectKind {
    T::KIND
}
