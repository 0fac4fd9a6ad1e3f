//! Words that Azure keeps for itself: `docs/install-config.md`, section 7.3.
//!
//! The list is that of
//! <https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-reserved-resource-name>.

use landfall_diagnostics::shortened;

/// Words that no resource may be named, in whatever case; each on a line.
const RESERVED: &str = include_str!("../data/reserved-names.txt");
/// Words that no name may contain.
const CONTAINED: &[&str] = &["microsoft", "windows"];
/// The word that no name may begin with.
const FIRST: &str = "login";

/// Why Azure takes no cluster of this name, as far as its own words go.
pub fn reserved(name: &str) -> Option<String> {
    // The OpenShift installer compares upper-case forms of one character each.
    let upper = |c: char| c.to_uppercase().next().filter(|_| c.to_uppercase().len() == 1).unwrap_or(c);
    // All reserved words are in ASCII.
    let lower: String = name.chars().map(|c| upper(c).to_ascii_lowercase()).collect();
    let shown = shortened(name);
    if RESERVED.lines().any(|word| word == lower) {
        return Some(format!("`{shown}` is reserved by Azure"));
    }
    if let Some(word) = CONTAINED.iter().find(|word| lower.contains(**word)) {
        return Some(format!("`{shown}` contains `{word}`, which Azure reserves"));
    }
    lower.starts_with(FIRST).then(|| format!("`{shown}` begins with `{FIRST}`, which Azure reserves"))
}

#[cfg(test)]
mod tests {
    use super::{RESERVED, reserved};

    #[test]
    fn each_reserved_word_is_refused() {
        assert_eq!(RESERVED.lines().count(), 38);
        assert!(RESERVED.lines().all(|word| !word.is_empty() && reserved(word).is_some()));
    }

    #[test]
    fn tells_reserved_names() {
        for bad in
            ["azure", "Office365", "web.config", "mywindows1", "MICROSOFT", "login-a", "microſoft", "vısıo"]
        {
            assert!(reserved(bad).is_some(), "{bad}");
        }
        for good in
            ["azure1", "my-office", "my-login", "window", "web-config", "sharepoİnt", "biztal\u{212a}", ""]
        {
            assert_eq!(reserved(good), None, "{good}");
        }
    }
}
