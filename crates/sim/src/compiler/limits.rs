//! Flags of limits, and user data of equal length.

use super::names::{Element, Outcome};

/// `limited` as given, or inferred from whether a range was given. A limited range must be
/// increasing.
pub(super) fn limited(
    element: &Element,
    what: &str,
    flag: Option<bool>,
    range: [f64; 2],
    auto_limits: bool,
) -> Outcome<bool> {
    let given = range[0] < range[1];
    let limited = match flag {
        Some(flag) => flag,
        None if given && !auto_limits => {
            return Err(element.error(format!("{what} range is given, but it is not marked as limited")));
        }
        None => given,
    };
    element.check_finite(what, &range)?;
    element.check(!limited || range[0] < range[1], || {
        format!("{what} range must be increasing, got {} to {}", range[0], range[1])
    })?;
    Ok(limited)
}

/// Maximum number of entries of an array whose length is a product of counts that a small file can
/// specify (128 MiB).
pub(super) const MAX_NUMBERS: usize = 1 << 24;
/// Maximum number of entries of one sparse matrix: the inertia matrix with its factors then takes
/// 640 MiB.
pub(super) const MAX_ENTRIES: usize = 1 << 25;

/// Common length of user data: as set, or the largest of all elements.
pub(super) fn user_len<'a>(what: &str, set: i32, users: impl Iterator<Item = &'a [f64]>) -> Outcome<usize> {
    let (count, longest) = users.fold((0, 0), |(count, longest), user| (count + 1, user.len().max(longest)));
    let element = Element::new("size", what, 0, "");
    let len = match usize::try_from(set) {
        Err(_) => longest,
        Ok(n) if n >= longest => n,
        Ok(n) => return Err(element.error(format!("user data has {longest} numbers, more than the {n} reserved"))),
    };
    element.check(len.saturating_mul(count) <= MAX_NUMBERS, || {
        format!("user data of {count} elements with {len} numbers each is more than {MAX_NUMBERS} numbers")
    })?;
    Ok(len)
}

/// Appends user data padded with zeros to `len`.
pub(super) fn push_user(table: &mut Vec<f64>, user: &[f64], len: usize) {
    table.extend_from_slice(user);
    table.extend(std::iter::repeat_n(0.0, len - user.len()));
}
