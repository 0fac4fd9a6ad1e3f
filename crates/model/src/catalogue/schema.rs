//! The JSON Schema of the catalogue, and so of an overlay.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::Catalogue;

/// The JSON Schema 2020-12 of the catalogue. No field is required, so that it describes overlays as well.
#[must_use]
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Catalogue>().to_value();
    join_lines(&mut schema);
    schema["title"] = "landfall catalogue".into();
    schema
}

/// Takes the line breaks out of descriptions.
fn join_lines(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(meaning)) = object.get_mut("description") {
                *meaning = meaning.replace('\n', " ");
            }
            object.values_mut().for_each(join_lines);
        }
        Value::Array(list) => list.iter_mut().for_each(join_lines),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(schema: &Value, at: &str, nameless: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            let bare = properties.iter().filter(|(_, property)| property.get("description").is_none());
            nameless.extend(bare.map(|(name, _)| format!("{at}/{name}")));
        }
        match schema {
            Value::Object(map) => {
                map.iter().for_each(|(key, value)| walk(value, &format!("{at}/{key}"), nameless));
            }
            Value::Array(list) => list.iter().for_each(|value| walk(value, at, nameless)),
            _ => {}
        }
    }

    #[test]
    fn describes_every_property_and_takes_no_other() {
        let schema = schema();
        let mut nameless = Vec::new();
        walk(&schema, "", &mut nameless);
        assert_eq!(nameless, Vec::<String>::new());
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema.get("required"), None);
    }
}
