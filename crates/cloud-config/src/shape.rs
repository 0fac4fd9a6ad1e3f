//! The types of the fields of an object, as Go's readers of JSON and YAML check them.

use landfall_model::config::value::instant::instant;
use landfall_source::{Scalar, fold_eq, resolve};

use super::json::{Json, Members, canonical};

/// The fields of an object: names, separated by blanks, behind the shape of their values.
pub type Fields = &'static [(Shape, &'static str)];

/// The shape of a value. Null has every shape, and is as good as absent.
pub enum Shape {
    /// A string.
    Text,
    /// A string; a number or a boolean is read as its text.
    Scalar,
    /// A string with a date, a time and an offset.
    Time,
    /// A boolean.
    Flag,
    /// A boolean, or a word that is one in YAML 1.1, such as `yes`.
    Word,
    /// A whole number from the first to the second.
    Whole(i128, i128),
    /// A number.
    Number,
    /// A number of 32 bits.
    Single,
    /// A list.
    List(&'static Self),
    /// A mapping from any names.
    Map(&'static Self),
    /// A mapping with these fields. Others stay unchecked.
    Object(Fields),
    /// A mapping with these fields. Others are dropped.
    Closed(Fields),
}

/// A signed number of 32 bits.
pub const INT32: Shape = Shape::Whole(i32::MIN as i128, i32::MAX as i128);
/// A signed number of 64 bits.
pub const INT64: Shape = Shape::Whole(i64::MIN as i128, i64::MAX as i128);
/// An unsigned number of 64 bits.
pub const UINT64: Shape = Shape::Whole(0, u64::MAX as i128);

impl Shape {
    /// The value with its fields under their own names, which are read without regard to letter case.
    ///
    /// # Errors
    /// A value has another shape. The message has its path below `path`, and cites no value.
    pub fn fit(&self, value: Json, path: &str) -> Result<Json, String> {
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        Ok(match (self, value) {
            (Self::Object(_) | Self::Closed(_) | Self::Map(_), Json::Null) => Json::Object(Members::new()),
            (Self::Text | Self::Scalar, Json::Null) => Json::Text(String::new()),
            (_, Json::Null) => Json::Null,
            (Self::Text | Self::Scalar, text @ Json::Text(_)) => text,
            (Self::Scalar, Json::Flag(flag)) => Json::Text(flag.to_string()),
            (Self::Scalar, Json::Number(number)) => Json::Text(canonical(number.get())),
            (Self::Time, Json::Text(text)) if instant(&text).is_some() => Json::Text(text),
            (Self::Flag | Self::Word, flag @ Json::Flag(_)) => flag,
            (Self::Word, Json::Text(word)) if older_boolean(&word).is_some() => {
                Json::Flag(older_boolean(&word) == Some(true))
            }
            (Self::Whole(least, most), Json::Number(number))
                if number.get().parse::<i128>().is_ok_and(|number| (*least..=*most).contains(&number)) =>
            {
                Json::Number(number)
            }
            (Self::Number, Json::Number(number)) if number.get().parse::<f64>().is_ok_and(f64::is_finite) => {
                Json::Number(number)
            }
            (Self::Single, Json::Number(number)) if number.get().parse::<f32>().is_ok_and(f32::is_finite) => {
                Json::Number(number)
            }
            (Self::List(item), Json::List(items)) => {
                let items = items.into_iter().enumerate();
                let fitted = items.map(|(at, value)| item.fit(value, &format!("{path}[{at}]")));
                Json::List(fitted.collect::<Result<_, _>>()?)
            }
            (Self::Map(item), Json::Object(members)) => {
                let fitted = members.into_iter().map(|(name, value)| {
                    let value = item.fit(value, &below(&name))?;
                    Ok::<_, String>((name, value))
                });
                Json::Object(fitted.collect::<Result<_, _>>()?)
            }
            (Self::Object(fields) | Self::Closed(fields), Json::Object(mut members)) => {
                let order: Vec<String> = members.keys().cloned().collect();
                let known = known(fields, &mut members, &order, below)?;
                if matches!(self, Self::Closed(_)) {
                    return Ok(Json::Object(known));
                }
                members.extend(known);
                Json::Object(members)
            }
            (_, other) => {
                let name = if path.is_empty() { "it".to_owned() } else { format!("`{path}`") };
                return Err(format!("{name} is {}, not {}", other.noun(), self.noun()));
            }
        })
    }

    fn noun(&self) -> &'static str {
        match self {
            Self::Text | Self::Scalar => "a string",
            Self::Time => "a time in RFC 3339",
            Self::Flag | Self::Word => "a boolean",
            Self::Whole(..) => "an integer in its range",
            Self::Number | Self::Single => "a number in its range",
            Self::List(_) => "a list",
            Self::Map(_) | Self::Object(_) | Self::Closed(_) => "a mapping",
        }
    }
}

/// The members of an object with these fields, each under its own name. Of names that differ in letter case alone,
/// the last one in this order counts that is not null; mappings add up. Unknown members stay.
///
/// # Errors
/// As for [`Shape::fit`].
pub fn respelled(fields: Fields, mut members: Members, order: &[String]) -> Result<Members, String> {
    let known = known(fields, &mut members, order, str::to_owned)?;
    members.extend(known);
    Ok(members)
}

fn known(
    fields: &[(Shape, &'static str)],
    members: &mut Members,
    order: &[String],
    path: impl Fn(&str) -> String,
) -> Result<Members, String> {
    let mut known = Members::new();
    for key in order {
        let Some((shape, name)) = find(fields, |name| fold_eq(name, key)) else { continue };
        match members.remove(key) {
            None | Some(Json::Null) => {}
            Some(value) => add(shape, &mut known, name.to_owned(), shape.fit(value, &path(name))?),
        }
    }
    Ok(known)
}

/// Adds a member; what an earlier spelling of its name has and this one has not stays.
fn add(shape: &Shape, members: &mut Members, name: String, value: Json) {
    match (shape, members.get_mut(&name), value) {
        (Shape::Map(_), Some(Json::Object(first)), Json::Object(second)) => first.extend(second),
        (Shape::Object(fields) | Shape::Closed(fields), Some(Json::Object(first)), Json::Object(second)) => {
            for (name, value) in second {
                let shape = find(fields, |field| field == name).map_or(&Shape::Text, |(shape, _)| shape);
                add(shape, first, name, value);
            }
        }
        (.., value) => {
            members.insert(name, value);
        }
    }
}

/// The field with a name that is the right one.
pub fn find<'a>(
    fields: &'a [(Shape, &'static str)],
    is_right: impl Fn(&str) -> bool,
) -> Option<(&'a Shape, &'static str)> {
    let mut all = fields.iter().flat_map(|(shape, names)| names.split(' ').map(move |name| (shape, name)));
    all.find(|(_, name)| is_right(name))
}

/// What a word means that is a boolean in YAML 1.1, and a text in YAML 1.2.
pub fn older_boolean(word: &str) -> Option<bool> {
    let is_newer = ["true", "false"].iter().any(|newer| word.eq_ignore_ascii_case(newer));
    match resolve(word) {
        Scalar::Bool(flag) if !is_newer => Some(flag),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: Fields = &[
        (Shape::Object(&[(Shape::Text, "name key"), (Shape::Map(&Shape::Text), "labels")]), "spec"),
        (Shape::Single, "rate"),
        (Shape::Time, "at"),
    ];

    fn fitted(text: &str) -> Result<String, String> {
        let Json::Object(members) = Json::read(text)? else { return Err("not an object".to_owned()) };
        respelled(FIELDS, members, &Json::names(text)).map(|members| Json::Object(members).line())
    }

    #[test]
    fn spellings_of_a_name_add_up() {
        let text = r#"{"Spec":{"name":"a","LABELS":{"x":"1"}},"ſpec":{"key":"b","labels":{"y":"2"}},"SPEC":{"Name":"c"}}"#;
        let whole = r#"{"spec":{"key":"b","labels":{"x":"1","y":"2"},"name":"c"}}"#;
        assert_eq!(fitted(text).as_deref(), Ok(whole));
    }

    #[test]
    fn numbers_and_times_are_those_of_go() {
        assert!(fitted(r#"{"rate":1e38,"at":"2024-01-01T00:00:00.5+01:00"}"#).is_ok());
        assert_eq!(
            fitted(r#"{"rate":1e39}"#),
            Err("`rate` is a number, not a number in its range".to_owned())
        );
        for time in ["2024-01-01 00:00:00Z", "2024-01-01T00:00Z", "20240101T000000Z"] {
            assert!(fitted(&format!(r#"{{"at":"{time}"}}"#)).is_err(), "{time}");
        }
    }
}
