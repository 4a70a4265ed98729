//! Whether a range is in force, and user data of equal length.

use super::names::{Element, Outcome};

/// `limited` as given, or inferred from whether an increasing range was given. A limited range must be ordered.
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
            return Err(element.error(format!("{what} range is given without saying that it is limited")));
        }
        None => given,
    };
    element.check_finite(what, &range)?;
    element.check(!limited || range[0] < range[1], || {
        format!("{what} range must be increasing, got {} to {}", range[0], range[1])
    })?;
    Ok(limited)
}

/// Common length of user data: as set, or the longest that an element has.
pub(super) fn user_len<'a>(what: &str, set: i32, users: impl Iterator<Item = &'a [f64]>) -> Outcome<usize> {
    let longest = users.map(<[f64]>::len).max().unwrap_or(0);
    match usize::try_from(set) {
        Err(_) => Ok(longest),
        Ok(n) if n >= longest => Ok(n),
        Ok(n) => {
            let element = Element::new("size", what, 0, "");
            Err(element.error(format!("user data has {longest} numbers, more than the {n} reserved")))
        }
    }
}

/// Appends user data padded with zeros to `len`.
pub(super) fn push_user(table: &mut Vec<f64>, user: &[f64], len: usize) {
    table.extend_from_slice(user);
    table.extend(std::iter::repeat_n(0.0, len - user.len()));
}
