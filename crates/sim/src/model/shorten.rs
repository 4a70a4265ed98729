//! Messages that quote files: a word of a file can be as long as the file.

use core::fmt::Write;
use std::borrow::Cow;

/// Longest word of a message that is shown whole. Paths may be long.
const WHOLE: usize = 200;
/// Characters that are shown of a longer one.
const SHOWN: usize = 40;

/// A message in which very long words are cut, with their lengths.
pub fn shortened(message: &str) -> Cow<'_, str> {
    // Bytes are at least as many as characters.
    if message.split([' ', '\n']).all(|word| word.len() <= WHOLE) {
        return Cow::Borrowed(message);
    }
    let mut text = String::new();
    for (i, word) in message.split(' ').enumerate() {
        if i > 0 {
            text.push(' ');
        }
        match word.chars().count() {
            count if count > WHOLE => {
                text.extend(word.chars().take(SHOWN));
                // Writing to a String cannot fail.
                _ = write!(text, "… ({count} characters)");
            }
            _ => text.push_str(word),
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_very_long_words_are_cut() {
        let long = "ä".repeat(300);
        let expected = format!("found {}… (300 characters) here", "ä".repeat(40));
        assert_eq!(shortened(&format!("found {long} here")), expected);
        let usual = format!("cannot read /{}: no such file", "folder/".repeat(20));
        assert_eq!(shortened(&usual), usual);
    }
}
