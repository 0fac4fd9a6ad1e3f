//! What one part of profiles says and another does not: as lines of YAML, and as a list of paths.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::group_diff_ops;
use similar::udiff::UnifiedHunkHeader;

use super::document::key_of;

/// How something differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is new.
    Added,
    /// It is another one.
    Changed,
    /// It is gone.
    Removed,
}

/// A place at which two values differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The path from the top; entries of lists stand in brackets, with their name or version.
    pub path: String,
    /// How it differs.
    pub change: Change,
}

/// A value as YAML whose keys stand in the order of its type.
#[must_use]
pub fn yaml<T: Serialize>(value: &T) -> String {
    let options = serde_saphyr::ser_options! {
        folded_wrap_chars: usize::MAX,
        compact_list_indent: true,
    };
    // Keys of the types handed in are text, numbers are finite: YAML has a form for all of it.
    serde_saphyr::to_string_with_options(value, options).unwrap_or_default()
}

/// What it takes to make the lines of one value those of another; empty where they are the same.
#[must_use]
pub fn unified<T: Serialize>(old: &T, new: &T, names: (&str, &str)) -> String {
    const AROUND: usize = 3;
    let (old, new) = (yaml(old), yaml(new));
    let lines = |text: &'_ str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<String>>();
    let (old, new) = (lines(&old), lines(&new));
    // Named here, the other algorithms of the crate are not in the program.
    let mut compact = Compact::new(Replace::new(Capture::new()), &old[..], &new[..]);
    let Ok(()) = myers::diff(&mut compact, &old[..], 0..old.len(), &new[..], 0..new.len());
    let mut text = String::new();
    let hunks = group_diff_ops(compact.into_inner().into_inner().into_ops(), AROUND);
    for hunk in hunks.iter().filter(|hunk| !hunk.is_empty()) {
        if text.is_empty() {
            text = format!("--- {}\n+++ {}\n", names.0, names.1);
        }
        text.extend([UnifiedHunkHeader::new(hunk).to_string().as_str(), "\n"]);
        let changes = hunk.iter().flat_map(|change| change.iter_slices(&old[..], &new[..]));
        for (tag, lines) in changes {
            text.extend(lines.iter().flat_map(|line| [tag.to_string(), line.clone()]));
        }
    }
    text
}

/// The places at which a value differs from an earlier one, `at` being the path of both.
#[must_use]
pub fn differences<T: Serialize>(at: &str, old: &T, new: &T) -> Vec<Difference> {
    let value = |of: &T| serde_json::to_value(of).unwrap_or_default();
    let mut found = Vec::new();
    compare(at.to_owned(), Some(&value(old)), Some(&value(new)), &mut found);
    found
}

fn compare(path: String, old: Option<&Value>, new: Option<&Value>, found: &mut Vec<Difference>) {
    let change = match (old, new) {
        (None, None) => return,
        (Some(old), Some(new)) if old == new => return,
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                compare(format!("{path}.{key}"), old.get(key), new.get(key), found);
            }
            return;
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if are_named(old) && are_named(new) => {
            let (earlier, later) = (by_key(old), by_key(new));
            for (key, entry) in new.iter().filter_map(|entry| Some((key_of(entry)?, entry))) {
                compare(format!("{path}[{key}]"), earlier.get(key).copied(), Some(entry), found);
            }
            for (key, entry) in earlier.iter().filter(|(key, _)| !later.contains_key(*key)) {
                compare(format!("{path}[{key}]"), Some(*entry), None, found);
            }
            return;
        }
        (None, Some(_)) => Change::Added,
        (Some(_), None) => Change::Removed,
        (Some(_), Some(_)) => Change::Changed,
    };
    found.push(Difference { path, change });
}

/// Whether every entry of a list has a name or version of its own.
fn are_named(list: &[Value]) -> bool {
    by_key(list).len() == list.len()
}

fn by_key(list: &[Value]) -> BTreeMap<&str, &Value> {
    list.iter().filter_map(|entry| Some((key_of(entry)?, entry))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn listed(old: &Value, new: &Value) -> Vec<(String, Change)> {
        differences("spec", old, new).into_iter().map(|one| (one.path, one.change)).collect()
    }

    #[test]
    fn names_what_differs() {
        let old =
            json!({"type": "aws", "limits": {"a": 1}, "types": [{"name": "a", "cpu": "1"}, {"name": "c"}]});
        let new = json!({"type": "aws", "bundle": "x", "types": [{"name": "a", "cpu": "2"}, {"name": "b"}]});
        let expected = [
            ("spec.bundle", Change::Added),
            ("spec.limits", Change::Removed),
            ("spec.types[a].cpu", Change::Changed),
            ("spec.types[b]", Change::Added),
            ("spec.types[c]", Change::Removed),
        ];
        assert_eq!(listed(&old, &new), expected.map(|(path, change)| (path.to_owned(), change)));
        assert_eq!(listed(&old, &old), []);
        let plain = listed(&json!({"a": ["x"]}), &json!({"a": ["y"]}));
        assert_eq!(plain, [("spec.a".to_owned(), Change::Changed)]);
        let twice = listed(&json!([{"name": "a"}, {"name": "a"}]), &json!([{"name": "a"}]));
        assert_eq!(twice, [("spec".to_owned(), Change::Changed)]);
    }

    #[test]
    fn lines_are_those_of_yaml() {
        let shown =
            unified(&json!({"a": "one", "b": "two"}), &json!({"a": "one", "b": "three"}), ("old", "new"));
        assert_eq!(shown, "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a: one\n-b: two\n+b: three\n");
        assert_eq!(unified(&1, &1, ("old", "new")), "");
    }
}
