//! Which objects an operator works on, by their labels.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use ::kube::core::{Expression, Selector, SelectorExt as _};

/// A selector of labels, as `kubectl --selector` takes it without sets: `key=value`, `key!=value`, `key` and `!key`,
/// with commas between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    text: String,
    selector: Selector,
}

impl Labels {
    /// Whether an object with these labels is selected.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.selector.matches(labels)
    }
}

impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Labels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let expressions = parts.iter().map(|part| expression(part)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { text: parts.join(","), selector: expressions.into_iter().collect() })
    }
}

fn expression(text: &str) -> Result<Expression, String> {
    let (key, value, make): (&str, &str, fn(String, String) -> Expression) =
        if let Some((key, value)) = text.split_once("!=") {
            (key, value, Expression::NotEqual)
        } else if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
            (key, value, Expression::Equal)
        } else if let Some(key) = text.strip_prefix('!') {
            (key, "", |key, _| Expression::DoesNotExist(key))
        } else {
            (text, "", |key, _| Expression::Exists(key))
        };
    let (key, value) = (key.trim(), value.trim());
    if !is_key(key) {
        return Err(format!("`{key}` is not the key of a label"));
    }
    if !value.is_empty() && !is_name(value) {
        return Err(format!("`{value}` is not the value of a label"));
    }
    Ok(make(key.to_owned(), value.to_owned()))
}

/// A label as `key=value`.
///
/// # Errors
/// Key or value is not that of a label: what to write.
pub fn label(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if is_key(key) && (value.is_empty() || is_name(value)) => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err("use a label, such as release=kube-prometheus-stack".to_owned()),
    }
}

/// A prefix, which is a DNS name, and a slash may come before the name.
fn is_key(key: &str) -> bool {
    let is_label = |label: &str| {
        is_name(label) && label.chars().all(|letter| letter.is_ascii_lowercase() || !letter.is_alphabetic())
    };
    match key.split_once('/') {
        Some((prefix, name)) => prefix.len() <= 253 && prefix.split('.').all(is_label) && is_name(name),
        None => is_name(key),
    }
}

/// At most 63 letters, digits, `-`, `_` and `.`, of which the last three are neither first nor last.
fn is_name(text: &str) -> bool {
    let is_end = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
    text.len() <= 63
        && is_end(text.chars().next())
        && is_end(text.chars().last())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(text: &str, labels: &[(&str, &str)]) -> Result<bool, String> {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        text.parse::<Labels>().map(|selector| selector.matches(&labels))
    }

    #[test]
    fn selects_as_kubectl_does() {
        let first = &[("shard", "1"), ("team.example.com/name", "a")][..];
        for (text, labels, wanted) in [
            ("shard=1", first, true),
            ("shard==1", first, true),
            ("shard=2", first, false),
            ("shard=1", &[][..], false),
            ("shard!=2", first, true),
            ("shard!=2", &[][..], true),
            ("shard", first, true),
            ("!shard", first, false),
            ("!shard", &[][..], true),
            ("shard = 1, team.example.com/name=a", first, true),
            ("shard=1,team.example.com/name=b", first, false),
        ] {
            assert_eq!(selects(text, labels), Ok(wanted), "{text} {labels:?}");
        }
        assert_eq!("a=1, !b".parse::<Labels>().map(|one| one.to_string()).as_deref(), Ok("a=1,!b"));
    }

    #[test]
    fn a_label_has_a_key_and_a_value() {
        assert_eq!(label("a.b/c=d"), Ok(("a.b/c".to_owned(), "d".to_owned())));
        assert_eq!(label("a="), Ok(("a".to_owned(), String::new())));
        for text in ["", "a", "=b", "a=b=c", "a b=c", "a={{b}}"] {
            assert!(label(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for text in ["", "a=1,", "=1", "a b", "-a", "a=b=c", "Example.com/a", "shard in (1)", "a=ö", "a/b/c"]
        {
            assert!(text.parse::<Labels>().is_err(), "{text}");
        }
        assert!("a".repeat(64).parse::<Labels>().is_err());
    }
}
