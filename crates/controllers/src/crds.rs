//! The CRDs of the controllers, generated from the types.

use ::kube::core::schema::{OptionalEnum, OptionalIntOrString, StructuralSchemaRewriter};
use landfall_cloud_profile::types::{
    CloudProfileSpec, CloudProfileStatus, NamespacedCloudProfileSpec, NamespacedCloudProfileStatus,
    PrivateCloudProfileSpec, PrivateCloudProfileStatus,
};
use landfall_kube::kinds::ProfileKinds;
use landfall_kube::objects::Kind;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::azure_infrastructure::{
    AZURE_INFRASTRUCTURE, AdoptPolicy, CONFIG_KEY, FACTS_KEY, Holder, Machines, ProfileHolder, Spec, Stage,
    Status,
};
use super::cloud_profile::UNSEEN;

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// The definitions of all kinds of profiles of a group.
#[must_use]
pub fn profiles(kinds: &'static ProfileKinds) -> Vec<Value> {
    let mut cloud = schema::<CloudProfileSpec>();
    cloud["required"] = json!(["type"]);
    let mut private = schema::<PrivateCloudProfileSpec>();
    // What the kind lacks is to be refused by name, not dropped without a word.
    keep_unknown(&mut private);
    keep_parent(&mut private);
    let mut namespaced = schema::<NamespacedCloudProfileSpec>();
    keep_parent(&mut namespaced);
    namespaced["properties"]["parent"]["required"] = json!(["name"]);
    namespaced["properties"]["parent"]["properties"]["kind"]["default"] = json!(kinds.cloud.kind);
    vec![
        Definition {
            kind: &kinds.cloud,
            scope: "Cluster",
            spec: cloud,
            status: schema::<CloudProfileStatus>(),
            columns: &[("Provider", ".spec.type")],
        },
        Definition {
            kind: &kinds.private,
            scope: "Namespaced",
            spec: private,
            status: unseen(schema::<PrivateCloudProfileStatus>()),
            columns: &[
                ("Parent", ".spec.parent"),
                ("Rendered", ".status.conditions[?(@.type==\"Rendered\")].status"),
                ("Reason", ".status.conditions[?(@.type==\"Rendered\")].reason"),
            ],
        },
        Definition {
            kind: &kinds.namespaced,
            scope: "Namespaced",
            spec: namespaced,
            status: unseen(schema::<NamespacedCloudProfileStatus>()),
            columns: &[("Parent", ".spec.parent.name"), ("Parent Kind", ".spec.parent.kind")],
        },
    ]
    .into_iter()
    .map(Definition::object)
    .collect()
}

/// The schema of a status whose server fills in that no controller has seen the object: by kstatus, it is then in
/// progress, and not current.
fn unseen(mut status: Value) -> Value {
    status["default"] = json!({ "observedGeneration": UNSEEN });
    status
}

/// Has a profile keep its parent for as long as it lives, as admission does; servers before 1.25 drop the rule.
fn keep_parent(spec: &mut Value) {
    spec["required"] = json!(["parent"]);
    spec["properties"]["parent"]["x-kubernetes-validations"] =
        json!([{ "rule": "self == oldSelf", "message": "immutable: a profile keeps its parent" }]);
}

/// Keeps at every level what objects have and the schema lacks.
fn keep_unknown(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    if members.contains_key("properties") {
        members.insert(PRESERVE.to_owned(), Value::Bool(true));
    }
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.values_mut().for_each(keep_unknown);
    }
    if let Some(items) = members.get_mut("items") {
        keep_unknown(items);
    }
}

/// What a server checks of an `AzureInfrastructure`, each with its message.
const INFRASTRUCTURE_RULES: [(&str, &str); 3] = [
    ("has(self.installConfig) != has(self.installConfigRef)", "set either installConfig or installConfigRef"),
    (
        "!has(self.infraID) || self.infraID == '' || !has(oldSelf.infraID) || oldSelf.infraID == '' || \
         self.infraID == oldSelf.infraID",
        "infraID cannot be changed",
    ),
    (
        "!has(oldSelf.machines) || oldSelf.machines != 'aso' || (has(self.machines) && self.machines == 'aso')",
        "machines cannot be changed from aso: Azure Service Operator would delete the control plane",
    ),
];

/// The printer columns of an `AzureInfrastructure` that `kubectl get -o wide` adds.
const INFRASTRUCTURE_WIDE: [(&str, &str); 3] = [
    ("Update", ".status.conditions[?(@.type==\"UpdateAvailable\")].status"),
    ("Update Reason", ".status.conditions[?(@.type==\"UpdateAvailable\")].reason"),
    ("Planned By", ".status.plannedBy"),
];

/// What a server fills in where the spec of an `AzureInfrastructure` says nothing: what the controller assumes as well.
fn infrastructure_defaults() -> [(&'static str, Value); 8] {
    [
        ("machines", json!(Machines::default())),
        ("stage", json!(Stage::default())),
        ("adoptPolicy", json!(AdoptPolicy::default())),
        ("installConfigRef/properties/kind", json!(Holder::default())),
        ("installConfigRef/properties/key", json!(CONFIG_KEY)),
        ("factsRef/properties/kind", json!(Holder::default())),
        ("factsRef/properties/key", json!(FACTS_KEY)),
        ("cloudProfileRef/properties/kind", json!(ProfileHolder::default())),
    ]
}

/// The fields that the spec of an `AzureInfrastructure` cannot do without, by the schema that has them.
const INFRASTRUCTURE_REQUIRED: [(&str, &[&str]); 7] = [
    ("", &["credentialsSecretRef"]),
    ("/properties/credentialsSecretRef", &["name"]),
    ("/properties/installConfigRef", &["name"]),
    ("/properties/factsRef", &["name"]),
    ("/properties/cloudProfileRef", &["name"]),
    ("/properties/ignitionSecretRef", &["name"]),
    ("/properties/patches/items", &["kind", "name", "patch"]),
];

/// The references of the spec of an `AzureInfrastructure`: the controller refuses those without a name.
const INFRASTRUCTURE_REFERENCES: [&str; 5] =
    ["credentialsSecretRef", "installConfigRef", "factsRef", "cloudProfileRef", "ignitionSecretRef"];

/// What the controller takes for an infrastructure ID, or for none. A test compares both.
const INFRA_ID: &str = "^([a-z0-9]([a-z0-9-]{0,25}[a-z0-9])?)?$";

/// The definition of the kind by which a cluster's infrastructure in Azure is asked for. By its labels clusterctl
/// finds the objects, and moves them with all that they own.
#[must_use]
pub fn infrastructure() -> Value {
    let mut spec = schema::<Spec>();
    for (path, value) in infrastructure_defaults() {
        if let Some(field) = spec.pointer_mut(&format!("/properties/{path}")) {
            field["default"] = value;
        }
    }
    for (path, names) in INFRASTRUCTURE_REQUIRED {
        if let Some(object) = spec.pointer_mut(path) {
            object["required"] = json!(names);
        }
    }
    for reference in INFRASTRUCTURE_REFERENCES {
        spec["properties"][reference]["properties"]["name"]["minLength"] = json!(1);
    }
    spec["properties"]["infraID"]["pattern"] = json!(INFRA_ID);
    // Servers before 1.25 drop the rules, and the controller refuses the same.
    spec["x-kubernetes-validations"] = INFRASTRUCTURE_RULES
        .iter()
        .map(|(rule, message)| json!({ "rule": rule, "message": message }))
        .collect();
    let mut definition = Definition {
        kind: &AZURE_INFRASTRUCTURE,
        scope: "Namespaced",
        spec,
        status: unseen(schema::<Status>()),
        columns: &[
            ("InfraID", ".status.infraID"),
            ("Region", ".status.region"),
            ("Release", ".status.release"),
            ("Ready", ".status.conditions[?(@.type==\"Ready\")].status"),
            ("Reason", ".status.conditions[?(@.type==\"Ready\")].reason"),
        ],
    }
    .object();
    let columns = definition.pointer_mut("/spec/versions/0/additionalPrinterColumns");
    let wide = INFRASTRUCTURE_WIDE
        .map(|(name, path)| json!({ "name": name, "type": "string", "priority": 1, "jsonPath": path }));
    if let Some(columns) = columns.and_then(Value::as_array_mut) {
        columns.extend(wide);
    }
    definition["metadata"]["labels"] =
        json!({ "clusterctl.cluster.x-k8s.io": "", "clusterctl.cluster.x-k8s.io/move-hierarchy": "" });
    definition
}

/// One kind.
struct Definition {
    kind: &'static Kind,
    scope: &'static str,
    spec: Value,
    status: Value,
    /// The printer columns, with their paths.
    columns: &'static [(&'static str, &'static str)],
}

impl Definition {
    fn object(self) -> Value {
        let Self { kind, scope, spec, status, columns } = self;
        let mut shown: Vec<Value> = columns
            .iter()
            .map(|(name, path)| json!({ "name": name, "type": "string", "jsonPath": path }))
            .collect();
        shown.push(json!({ "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" }));
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("{}.{}", kind.plural, kind.group) },
            "spec": {
                "group": kind.group,
                "scope": scope,
                "names": {
                    "kind": kind.kind,
                    "listKind": format!("{}List", kind.kind),
                    "plural": kind.plural,
                    "singular": kind.kind.to_lowercase(),
                },
                "versions": [{
                    "name": kind.version,
                    "served": true,
                    "storage": true,
                    "subresources": { "status": {} },
                    "additionalPrinterColumns": shown,
                    "schema": { "openAPIV3Schema": {
                        "type": "object",
                        "required": ["spec"],
                        "properties": {
                            "apiVersion": { "type": "string" },
                            "kind": { "type": "string" },
                            "metadata": { "type": "object" },
                            "spec": spec,
                            "status": status,
                        },
                    }},
                }],
            },
        })
    }
}

/// The schema of a type, as definitions take it.
fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::openapi3()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .with_transform(StructuralSchemaRewriter)
        .with_transform(OptionalEnum)
        .with_transform(OptionalIntOrString);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Value::Object(members) = &mut schema {
        settle(members);
    }
    schema
}

/// Leaves out of a schema what definitions do not take, or take for something else: titles; defaults, which
/// the server would fill in; formats that it does not know; maps of anything, which it would empty.
fn settle(schema: &mut Map<String, Value>) {
    for word in ["title", "default", "format"] {
        schema.remove(word);
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
        schema.remove("additionalProperties");
        schema.insert(PRESERVE.to_owned(), Value::Bool(true));
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for word in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = schema.get_mut(word) {
            settle(inner);
        }
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            settle(property);
        }
    }
}

#[cfg(test)]
mod tests {
    use landfall_kube::kinds::LANDFALL_PROFILES;

    use super::*;

    /// What is wrong with a schema, by the rules of structural schemas.
    fn faults(at: &str, schema: &Value, found: &mut Vec<String>) {
        let known = [
            "type",
            "description",
            "properties",
            "required",
            "items",
            "additionalProperties",
            "nullable",
            "x-kubernetes-int-or-string",
            "x-kubernetes-map-type",
            "default",
            "x-kubernetes-validations",
            PRESERVE,
        ];
        let Some(members) = schema.as_object() else {
            found.push(format!("{at} is no object"));
            return;
        };
        found.extend(
            members.keys().filter(|key| !known.contains(&key.as_str())).map(|key| format!("{at}: {key}")),
        );
        let is_free = |word: &str| members.get(word) == Some(&json!(true));
        if !members.get("type").is_some_and(Value::is_string) && !is_free(PRESERVE) && !is_free(known[7]) {
            found.push(format!("{at} has no type"));
        }
        for word in ["items", "additionalProperties"] {
            if let Some(inner) = members.get(word) {
                faults(&format!("{at}.{word}"), inner, found);
            }
        }
        for (name, property) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
            faults(&format!("{at}.{name}"), property, found);
        }
    }

    #[test]
    fn schemas_are_structural() {
        let mut found = Vec::new();
        for definition in profiles(&LANDFALL_PROFILES) {
            let schema =
                definition.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap_or(&Value::Null);
            faults(definition["spec"]["names"]["kind"].as_str().unwrap_or_default(), schema, &mut found);
        }
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn an_infrastructure_has_rules_and_columns() {
        let definition = infrastructure();
        let version = &definition["spec"]["versions"][0];
        let spec = &version["schema"]["openAPIV3Schema"]["properties"]["spec"];
        let rules = spec["x-kubernetes-validations"].as_array().cloned().unwrap_or_default();
        assert_eq!(rules.len(), INFRASTRUCTURE_RULES.len());
        for rule in rules {
            let text = rule["rule"].as_str().unwrap_or_default();
            // What a rule names is a field of the spec.
            let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
            let names: Vec<&str> =
                names.filter_map(|name| name.split_once("elf.").map(|(_, name)| name)).collect();
            assert!(!names.is_empty(), "{text}");
            for name in names {
                assert!(spec["properties"][name].is_object(), "{name}");
            }
            assert!(rule["message"].is_string());
        }
        let status = &version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"];
        let columns = version["additionalPrinterColumns"].as_array().cloned().unwrap_or_default();
        let wide: Vec<&Value> = columns.iter().filter(|column| column["priority"] == 1).collect();
        assert_eq!(
            wide.iter().map(|column| &column["name"]).collect::<Vec<_>>(),
            ["Update", "Update Reason", "Planned By"]
        );
        for column in &columns {
            let path = column["jsonPath"].as_str().unwrap_or_default();
            let field = path.strip_prefix(".status.").and_then(|path| path.split(['.', '[']).next());
            assert!(field.is_none_or(|field| status[field].is_object()), "{path}");
        }
    }

    #[test]
    fn references_have_names_and_an_infrastructure_id_its_form() {
        let definition = infrastructure();
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
        let at = |path: &str| definition.pointer(&format!("{spec}/{path}")).cloned().unwrap_or_default();
        for reference in INFRASTRUCTURE_REFERENCES {
            let name = at(&format!("{reference}/properties/name"));
            assert_eq!((&name["type"], &name["minLength"]), (&json!("string"), &json!(1)), "{reference}");
        }
        let pattern = at("infraID/pattern").as_str().and_then(|text| regex_lite::Regex::new(text).ok());
        let fits = |id: &str| pattern.as_ref().is_some_and(|pattern| pattern.is_match(id));
        let longest = ["a".repeat(27), "a".repeat(28)];
        let ids = ["demo-x7k2p", "a", "0", "1-a", "UPPER", "de_mo", "-a", "a-", "a.b"];
        for id in ids.into_iter().chain(longest.iter().map(String::as_str)) {
            assert_eq!(fits(id), landfall_model::plan::is_infra_id(id), "{id}");
        }
        // As if it were left out.
        assert!(fits(""));
    }

    #[test]
    fn opaque_parts_stay_as_they_are() {
        let all = profiles(&LANDFALL_PROFILES);
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
        let part = |at: usize, path: &str| all.get(at).and_then(|one| one.pointer(&format!("{spec}/{path}")));
        assert_eq!(part(0, "providerConfig/x-kubernetes-preserve-unknown-fields"), Some(&json!(true)));
        assert_eq!(part(1, "providerConfig"), None);
        let cpu = "machineTypes/items/properties/cpu/x-kubernetes-int-or-string";
        assert_eq!(part(1, cpu), Some(&json!(true)));
        assert_eq!(part(2, "parent/properties/name/type"), Some(&json!("string")));
        let status = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties";
        let joined =
            |at: usize, name: &str| all.get(at).and_then(|one| one.pointer(&format!("{status}/{name}")));
        for joined in [joined(1, "cloudProfile"), joined(2, "cloudProfileSpec")] {
            assert_eq!(joined.map(|joined| &joined[PRESERVE]), Some(&json!(true)));
            assert_eq!(joined.map(|joined| &joined["x-kubernetes-map-type"]), Some(&json!("atomic")));
        }
        // What is unknown anywhere in a private profile is refused by name.
        let unknown = "machineTypes/items/x-kubernetes-preserve-unknown-fields";
        assert_eq!([part(1, unknown), part(2, unknown)], [Some(&json!(true)), None]);
    }
}
