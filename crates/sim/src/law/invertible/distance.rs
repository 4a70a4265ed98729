//! Parameters R(w), κ, q and v_min of rows as functions of their distance w.
//!
//! Raw parameters are used as published. κ is an energy and R an inverse mass, so their effect
//! depends on the unit of mass. Dimensionless parameters are scaled by the row's own inverse
//! effective mass A, the time step h and gravity g:
//!   κ = κ̂ (g h)²/A,   q = g h/A,   R = R̂(w) A.                                            (a)
//! A body that rests on one frictional contact (v = 0, f = g h/A, s = w/h) then satisfies (22) if
//!   R̂(w) = 3κ̂ + κ̂ g h²/w,                                                                 (b)
//! where the last term is absent without walls (`invertible_walls`); R̂ is chosen to have this
//! value at the distance `hover` at which bodies shall rest. On n points each carries 1/n of the
//! load, and the barriers add up: without load sharing
//!   R̂(w) = n² (3κ̂ + κ̂ g h²/w)                                                            (c)
//! would hold at each point. Points between the same two bodies therefore share the load (`share`):
//! with N = n, A is replaced by n A in R and κ of (a) and by √n A in q, for which (b) holds again.
//! Without walls, where rows do not interact, (c) remains. R̂ grows fast with the distance so that
//! the unmodelled effects stay small: by default with the fourth power,
//!   R̂(w) = R̂₀ + (R̂(hover) − R̂₀) (w/hover)⁴,                                              (d)
//! with which a body under (c) rests at about √n `hover`. The approach to rest is strongly
//! overdamped: near equilibrium the velocity is g h (R̂ at rest − R̂(w)), the rate 12 κ̂ g
//! h/`hover` under (d), for one point as for n. A tangential load makes the body creep at about
//! g h R̂ (a box of four points under half of its friction limit by 0.56 mm/s, in steps of 2 ms).
//!
//! Without walls no barrier pushes overlapping bodies apart, and light legs must carry more than
//! the weight of their own effective mass: R̂ at the surface is then a hundredth of that at
//! `hover`, and below
//!   R̂(w) = R̂₀/(1 + (w/hover)²),                                                            (g)
//! so that forces at rest grow in proportion to the penetration.
//!
//! Distant contacts must not appear discontinuously: forces of rows fade before the end of the
//! reach. A row has the weight
//!   β(w) = (1 − x⁴)⁴,  x = w/`reach`,                                                        (e)
//! (links that are always near each other have a smaller detection distance and fade before that),
//! applied by A/β in the place of A in (a). Then (22) is that of the row with β = 1 in f/β: its
//! force and the slope of its barrier, which act on other rows, are those of a full row times β,
//! and go to zero with their first three derivatives, for every velocity. Below half of the reach
//! the effect is small; (b), which has β² on its right side, is practically unchanged at `hover`.
//!
//! The distance w of a contact is that of the shapes plus `inset`: a body whose inset is `hover`
//! rests with its shape on the ground; without walls on n points this needs an inset of √n `hover`.
//! Limits have no inset.
//!
//! A fast body is stopped by the barrier of velocities, which must act against R f: to lose the
//! velocity Δv in one step at a distance w takes f = Δv/A, and by (22) the velocity then falls
//! short of the minimum by about
//!   s = −κ̂ (A q/(g h))⁻² R̂(w) Δv/β².                                                       (f)
//! R̂ is large some millimetres away, so that a humanoid that falls may penetrate by 1.9 mm after
//! the step. A steeper barrier would reduce this, but impulses are computed from velocities, whose
//! round-off is multiplied by q²/κ (with five times the slope, derivatives of the humanoid's
//! accelerations with respect to parameters have an error of 2e-8 instead of 3e-10). Barriers also
//! act on other rows: rows see the velocity z = v + A ∇d_V, in which the barrier of a heavy body,
//! at most q, appears at light links as a spurious velocity q A_light,heavy. With three times the
//! slope a humanoid that falls on its head in steps of 10 ms and detects contacts up to 5 cm away
//! has, for that reason, 240 N of friction at a forearm, which then rotates at 140 rad/s (4 rad/s
//! without walls, from the same state; the solver has converged, and the inverse agrees). The test
//! `steep_barriers_of_heavy_bodies_drag_at_light_links` shows it on two bodies.
//!
//! A smaller κ̂ and a steeper R̂ improve rest and make forces at a distance less smooth: with half
//! of κ̂ bodies creep half as fast and take twice the time to settle, and a pile whose bodies come
//! to rest simultaneously takes twice the time to compute.

use super::rows::Smoothing;
use crate::law::least_inverse_mass;
use crate::model::Model;
use crate::options::Options;
use crate::options::law::{LawOptions, Profile, Scaling};
use saltus_math::{MIN_VAL, real};

/// Fraction of a body's weight that a contact at the end of the reach would carry if it did not
/// fade; for the exponential R̂.
const FAR_SHARE: f64 = 0.01;
/// R̂ deep below the surface relative to R̂ at rest.
const DEEP_SHARE: f64 = 0.1;
/// The same without walls.
const DEEP_SHARE_ALONE: f64 = 0.01;
/// Largest velocity at which penetration is corrected, m/s or rad/s.
const PUSH_OUT: f64 = 1.0;
/// Smallest weight β: negligible force, but safe to divide by.
const LEAST_WEIGHT: f64 = 1e-30;
/// Growth of the linear R̂ over a distance of `hover`, relative to R̂ there: (c) for four points at
/// 2 `hover`.
const LINE: f64 = 15.0;
/// Gravity used for scaling in models without gravity, m/s².
const STANDARD_GRAVITY: f64 = 9.81;

/// Parameters that determine R and the barriers of a model's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    scaling: Scaling,
    profile: Profile,
    pub(super) h: f64,
    /// g h, and whether g is that of the model.
    kick: f64,
    follows_gravity: bool,
    smoothing: Smoothing,
    reach: f64,
    /// Distance at which rows have faded out; less than the reach for links that are always near
    /// each other.
    fade: f64,
    /// Inset added to the distance of contacts.
    pub(super) inset: f64,
    /// Distance at rest and R̂ there (dimensionless); R at contact and at the reach (raw).
    pub(super) hover: f64,
    R_low: f64,
    R_high: f64,
    /// Derivative of R̂ at `hover` with respect to gravity.
    rest_by_gravity: f64,
    /// R̂ at the surface relative to R̂ at rest, and whether it decreases further below the
    /// surface, (g).
    deep_share: f64,
    grows_below: bool,
    /// Number of contacts that share the load of the row, see `share`.
    count: f64,
    /// Inverse mass of a mean body, and the lower bound of a contact's inverse mass.
    mean_inverse_mass: f64,
    least_inverse_mass: f64,
}

impl Distance {
    /// Parameters of a model; its mean body mass gives the lower bound of the inverse mass.
    pub(crate) fn of_model(model: &Model) -> Self {
        let mean_inverse_mass = 1.0 / model.statistic.mean_mass.max(MIN_VAL);
        Self { mean_inverse_mass, least_inverse_mass: least_inverse_mass(model), ..Self::new(&model.options) }
    }
    /// Inverse mass of a contact from its approximate `diagonal`, which considers centres of mass
    /// only and may vanish for a body that rotates about its own.
    pub(super) fn contact_inverse_mass(&self, diagonal: f64) -> f64 {
        if diagonal > self.least_inverse_mass { diagonal } else { self.mean_inverse_mass }
    }
    /// From the options of the law.
    pub fn new(options: &Options) -> Self {
        let LawOptions { invertible: own, reach, .. } = &options.laws;
        let h = options.timestep;
        let gravity = options.gravity.length();
        let follows_gravity = gravity > 0.0;
        let gravity = if follows_gravity { gravity } else { STANDARD_GRAVITY };
        let reach = reach.max(MIN_VAL);
        let hover = own.hover.min(0.5 * reach);
        let hover_factor = fading(hover / reach) * fading(hover / reach);
        let wall = if own.walls { h * h / hover } else { 0.0 };
        let rest = hover_factor * own.smoothing * (3.0 + gravity * wall); // (b)
        let (smoothing, R_low, R_high) = match own.scaling {
            Scaling::Raw => (Smoothing { kappa: own.kappa, slope: own.slope }, own.r_min, own.r_max),
            Scaling::Dimensionless => {
                let far = 3.0 * own.smoothing / (FAR_SHARE * FAR_SHARE);
                (Smoothing { kappa: own.smoothing, slope: 1.0 }, rest, far.max(2.0 * rest))
            }
        };
        Self {
            scaling: own.scaling,
            profile: own.profile,
            h,
            kick: gravity * h,
            follows_gravity,
            smoothing,
            reach,
            fade: reach,
            inset: own.inset,
            hover,
            R_low,
            R_high,
            rest_by_gravity: hover_factor * own.smoothing * wall,
            deep_share: if own.walls { DEEP_SHARE } else { DEEP_SHARE_ALONE },
            grows_below: !own.walls,
            count: 1.0,
            mean_inverse_mass: MIN_VAL,
            least_inverse_mass: MIN_VAL,
        }
    }
    /// Parameters of a contact that is detected from `reach` beyond its margin.
    pub(super) fn within(self, reach: f64) -> Self {
        Self { fade: self.fade.min((reach + self.inset).max(MIN_VAL)), ..self }
    }
    /// Parameters of a contact that counts as `count` points.
    pub(super) fn shared_by(self, count: f64) -> Self {
        Self { count, ..self }
    }
    /// Whether contacts between the same two bodies share their load.
    pub(super) fn shares(&self) -> bool {
        self.scaling == Scaling::Dimensionless && !self.grows_below
    }
    /// β of a row at distance `w`, (e): its inverse mass over β is the `A` of the other functions.
    /// 1 with the published parameters.
    pub fn weight(&self, w: f64) -> f64 {
        match self.scaling {
            Scaling::Raw => 1.0,
            Scaling::Dimensionless => fading(w / self.fade).max(LEAST_WEIGHT) / self.count,
        }
    }
    /// β'/β.
    pub(super) fn weight_slope(&self, w: f64) -> f64 {
        let x = w / self.fade;
        if self.scaling == Scaling::Raw || x <= 0.0 || fading(x) <= LEAST_WEIGHT {
            return 0.0;
        }
        -16.0 * cube(x) / (self.fade * (1.0 - fourth(x)))
    }
    /// κ and q of a row with inverse mass `A`, (a). The curvature q²/κ is that of one point, for
    /// any number of points that share.
    pub fn smoothing(&self, A: f64) -> Smoothing {
        match self.scaling {
            Scaling::Raw => self.smoothing,
            Scaling::Dimensionless => Smoothing {
                kappa: self.smoothing.kappa * self.kick * self.kick / A,
                slope: self.smoothing.slope * self.kick * self.count.sqrt() / A,
            },
        }
    }
    /// R of a row with inverse mass `A` at distance `w`.
    pub fn regularizer(&self, w: f64, A: f64) -> f64 {
        match self.scaling {
            Scaling::Raw => self.raw(w),
            Scaling::Dimensionless => self.dimensionless(w) * A,
        }
    }
    /// R between its values at contact and at the reach.
    fn raw(&self, w: f64) -> f64 {
        let part = w / self.reach;
        match self.profile {
            Profile::Linear => self.R_low + (self.R_high - self.R_low) * part.clamp(0.0, 1.0), // (24)
            Profile::Exponential => self.R_low * real::exp(real::ln(self.R_high / self.R_low) * part.clamp(-1.0, 1.0)),
            Profile::Power => self.R_low + (self.R_high - self.R_low) * fourth(part.clamp(0.0, 1.0)),
        }
    }
    /// R̂(w), which is (b) at `hover`.
    fn dimensionless(&self, w: f64) -> f64 {
        let deep = self.deep_share * self.R_low;
        match self.profile {
            Profile::Linear => {
                let line = self.R_low * (1.0 + LINE * (w.min(self.reach) / self.hover - 1.0));
                line.max(deep)
            }
            Profile::Power if w < 0.0 && self.grows_below => deep / (1.0 + (w / self.hover) * (w / self.hover)), // (g)
            Profile::Power => deep + (self.R_low - deep) * fourth(w.clamp(0.0, self.reach) / self.hover),        // (d)
            Profile::Exponential => {
                let growth = real::ln((self.R_high - deep) / (self.R_low - deep));
                let part = ((w - self.hover) / (self.reach - self.hover)).min(1.0);
                deep + (self.R_low - deep) * real::exp(growth * part)
            }
        }
    }
    /// Derivative of [`Self::regularizer`] with respect to the distance, at constant `A`.
    pub(super) fn regularizer_slope(&self, w: f64, A: f64) -> f64 {
        let inside = (0.0..self.reach).contains(&w);
        match (self.scaling, self.profile) {
            (Scaling::Raw, Profile::Linear) if inside => (self.R_high - self.R_low) / self.reach,
            (Scaling::Raw, Profile::Exponential) if w.abs() < self.reach => {
                self.raw(w) * real::ln(self.R_high / self.R_low) / self.reach
            }
            (Scaling::Raw, Profile::Power) if inside => {
                4.0 * (self.R_high - self.R_low) * cube(w / self.reach) / self.reach
            }
            (Scaling::Dimensionless, Profile::Linear) if w < self.reach => {
                let is_line = self.dimensionless(w) > self.deep_share * self.R_low;
                if is_line { A * LINE * self.R_low / self.hover } else { 0.0 }
            }
            (Scaling::Dimensionless, Profile::Power) if w < 0.0 && self.grows_below => {
                let x = w / self.hover;
                -2.0 * A * self.deep_share * self.R_low * x / (self.hover * (1.0 + x * x) * (1.0 + x * x))
            }
            (Scaling::Dimensionless, Profile::Power) if inside => {
                4.0 * A * (1.0 - self.deep_share) * self.R_low * cube(w / self.hover) / self.hover
            }
            (Scaling::Dimensionless, Profile::Exponential) if w < self.reach => {
                let deep = self.deep_share * self.R_low;
                let growth = real::ln((self.R_high - deep) / (self.R_low - deep));
                A * (self.dimensionless(w) - deep) * growth / (self.reach - self.hover)
            }
            _ => 0.0,
        }
    }
    /// Derivative of [`Self::regularizer`] with respect to the magnitude of gravity.
    pub(super) fn regularizer_by_gravity(&self, w: f64, A: f64) -> f64 {
        if self.scaling == Scaling::Raw || !self.follows_gravity {
            return 0.0;
        }
        // R̂ is linear in R̂(hover), except for the exponential profile, whose value at the far end
        // may be constant.
        let low = self.rest_by_gravity;
        let own = self.dimensionless(w) / self.R_low;
        let growth = match self.profile {
            Profile::Exponential if self.R_high > 2.0 * self.R_low => {
                let part = ((w - self.hover) / (self.reach - self.hover)).min(1.0);
                let deep = self.deep_share * self.R_low;
                -part * (self.dimensionless(w) - deep) * (1.0 / self.R_low + self.deep_share / (self.R_high - deep))
            }
            _ => 0.0,
        };
        A * low * (own + growth)
    }
    /// ∂κ/κ of a row and ∂q/q with respect to the magnitude of gravity.
    pub(super) fn smoothing_by_gravity(&self) -> [f64; 2] {
        match self.scaling {
            Scaling::Dimensionless if self.follows_gravity => [2.0 * self.h / self.kick, self.h / self.kick],
            _ => [0.0; 2],
        }
    }
    /// Minimal velocity: closes the gap in one step; removes penetration in one step, but no faster
    /// than `PUSH_OUT`. Twice differentiable at w = 0.
    pub fn least_velocity(&self, w: f64) -> f64 {
        if w >= 0.0 { -w / self.h } else { PUSH_OUT * real::tanh(-w / (self.h * PUSH_OUT)) }
    }
    /// Its derivative: below the surface −1/(h cosh²), which does not lose digits at large
    /// penetration as tanh² − 1 would.
    pub(super) fn least_velocity_slope(&self, w: f64) -> f64 {
        let e = real::exp(2.0 * w.min(0.0) / (self.h * PUSH_OUT));
        -4.0 * e / ((1.0 + e) * (1.0 + e) * self.h)
    }
}

#[inline]
fn cube(x: f64) -> f64 {
    x * x * x
}

#[inline]
fn fourth(x: f64) -> f64 {
    (x * x) * (x * x)
}

/// (e), from 1 at x = 0 to 0 at x = 1.
#[inline]
fn fading(x: f64) -> f64 {
    fourth(1.0 - fourth(x.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options { timestep: 0.001, ..Options::default() }
    }

    #[test]
    fn regularizers_grow_with_distance() {
        for (scaling, profile) in [
            (Scaling::Raw, Profile::Linear),
            (Scaling::Raw, Profile::Exponential),
            (Scaling::Dimensionless, Profile::Linear),
            (Scaling::Dimensionless, Profile::Exponential),
            (Scaling::Raw, Profile::Power),
            (Scaling::Dimensionless, Profile::Power),
        ] {
            let mut options = options();
            (options.laws.invertible.scaling, options.laws.invertible.profile) = (scaling, profile);
            let distance = Distance::new(&options);
            let at = |k: i32| distance.regularizer(k as f64 * 1e-3, 0.5);
            assert!((-10..10).all(|k| at(k) > 0.0 && at(k + 1) >= at(k)), "{scaling:?} {profile:?}");
            assert!(at(9) > at(1) && at(200) == at(10));
        }
    }

    #[test]
    fn a_body_rests_where_it_was_asked_to() {
        let mut options = options();
        options.laws.invertible.hover = 0.002;
        for (profile, mass) in
            [(Profile::Linear, 1.0), (Profile::Exponential, 1.0), (Profile::Power, 1.0), (Profile::Power, 1e3)]
        {
            options.laws.invertible.profile = profile;
            let distance = Distance::new(&options);
            let (A, h, g) = (1.0 / mass, 0.001, 9.81);
            let (f, s) = (g * h / A, 0.002 / h);
            let weighted = A / distance.weight(0.002);
            let Smoothing { kappa, .. } = distance.smoothing(weighted);
            // (22) with v = 0.
            let sum = distance.regularizer(0.002, weighted) * f - 3.0 * kappa / f - A * kappa / s;
            assert!(sum.abs() < 1e-12 * kappa / f, "{sum}");
        }
    }

    #[test]
    fn slopes_are_derivatives() {
        for (scaling, walls) in [(Scaling::Raw, true), (Scaling::Dimensionless, true), (Scaling::Dimensionless, false)]
        {
            for profile in [Profile::Linear, Profile::Exponential, Profile::Power] {
                let mut options = options();
                let own = &mut options.laws.invertible;
                (own.scaling, own.profile, own.walls) = (scaling, profile, walls);
                let distance = Distance::new(&options);
                for k in -25..25 {
                    let (w, step) = (5e-4 * k as f64 + 1e-4, 1e-7);
                    let slope = |f: &dyn Fn(f64) -> f64| (f(w + step) - f(w - step)) / (2.0 * step);
                    let (ours, found) = (distance.regularizer_slope(w, 0.5), slope(&|w| distance.regularizer(w, 0.5)));
                    assert!(
                        (ours - found).abs() <= 1e-5 * found.abs() + 1e-9,
                        "{scaling:?} {profile:?} {w}: {ours} {found}"
                    );
                    let slope_of_weight = distance.weight_slope(w) * distance.weight(w);
                    let found = slope(&|w| distance.weight(w));
                    assert!(
                        (slope_of_weight - found).abs() <= 1e-5 * found.abs() + 1e-9,
                        "{w}: {slope_of_weight} {found}"
                    );
                    let (ours, found) = (distance.least_velocity_slope(w), slope(&|w| distance.least_velocity(w)));
                    assert!((ours - found).abs() <= 1e-5 * found.abs() + 1e-6, "{w}: {ours} {found}");
                }
            }
        }
    }

    #[test]
    fn weights_go_from_one_at_the_surface_to_nothing_at_the_reach() {
        let distance = Distance::new(&options());
        assert_eq!([distance.weight(-1.0), distance.weight(0.0)], [1.0; 2]);
        assert!(distance.weight(0.002) > 0.99 && distance.weight(0.005) > 0.75);
        assert!((0..20).all(|k| distance.weight(5e-4 * f64::from(k + 1)) < distance.weight(5e-4 * f64::from(k))));
        // The third derivative is zero at the end: the remainder is of fourth order in the distance
        // to it.
        assert!(distance.weight(0.01 * (1.0 - 1e-3)) < 300.0 * 1e-12);
        assert_eq!([distance.weight(0.01), distance.weight(1.0)], [LEAST_WEIGHT; 2]);
        assert_eq!([distance.weight_slope(-1.0), distance.weight_slope(0.01), distance.weight_slope(1.0)], [0.0; 3]);
    }

    #[test]
    fn parameters_follow_gravity() {
        for scaling in [Scaling::Raw, Scaling::Dimensionless] {
            for profile in [Profile::Linear, Profile::Exponential, Profile::Power] {
                for smoothing in [1e-2, 10.0] {
                    let mut options = options();
                    options.timestep = 0.02;
                    (options.laws.invertible.scaling, options.laws.invertible.profile) = (scaling, profile);
                    options.laws.invertible.smoothing = smoothing;
                    let at = |g: f64| {
                        let mut options = options.clone();
                        options.gravity.z = -g;
                        Distance::new(&options)
                    };
                    let (distance, step) = (at(9.81), 1e-4);
                    let (above, below) = (at(9.81 + step), at(9.81 - step));
                    let slope = |f: &dyn Fn(&Distance) -> f64| (f(&above) - f(&below)) / (2.0 * step);
                    for k in -5..25 {
                        let w = 5e-4 * k as f64 + 1e-4;
                        let (ours, found) =
                            (distance.regularizer_by_gravity(w, 0.5), slope(&|d| d.regularizer(w, 0.5)));
                        // Round-off of the finite differences.
                        let floor = 1e-15 * distance.regularizer(w, 0.5) / step;
                        assert!((ours - found).abs() <= 1e-7 * found.abs() + floor, "{profile:?} {w}: {ours} {found}");
                    }
                    let [kappa, q] = distance.smoothing_by_gravity();
                    let own = distance.smoothing(0.5);
                    assert!((kappa * own.kappa - slope(&|d| d.smoothing(0.5).kappa)).abs() < 1e-9 * own.kappa);
                    assert!((q * own.slope - slope(&|d| d.smoothing(0.5).slope)).abs() < 1e-9 * own.slope);
                }
            }
        }
    }

    #[test]
    fn the_least_velocity_is_smooth_at_the_surface() {
        let distance = Distance::new(&options());
        let at = |w: f64| distance.least_velocity(w);
        let step = 1e-6;
        let second = (at(step) - 2.0 * at(0.0) + at(-step)) / (step * step);
        assert!(second.abs() < 1e3, "{second}");
        assert!((at(-step) - at(step) - 2.0 * step / 0.001).abs() < 1e-9);
        assert!(at(-1.0) <= PUSH_OUT);
    }
}
