//! Terraform's state, as far as it must be understood here.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::fault::Fault;
use super::streams;

/// The file of a stage's state.
pub(super) const STATE: &str = "terraform.tfstate";

/// The files that hold what a state holds.
const COPIES: &[&str] = &[STATE, "terraform.tfstate.backup"];

/// The format of states.
const VERSION: u64 = 4;

/// Resources that terraform manages, in difference to those that it only reads.
const MANAGED: &str = "managed";

/// The status of a resource that the next run replaces.
const TAINTED: &str = "tainted";

#[derive(Deserialize)]
struct State {
    version: u64,
    #[serde(default)]
    resources: Vec<Resource>,
    encrypted_data: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    module: String,
    mode: String,
    #[serde(rename = "type")]
    sort: String,
    name: String,
    #[serde(default)]
    instances: Vec<Instance>,
}

#[derive(Deserialize)]
struct Instance {
    /// A number or a text.
    index_key: Option<serde_json::Value>,
    /// `tainted` where the creation of a resource failed.
    #[serde(default)]
    status: String,
    /// The key of an instance that is the rest of a replacement.
    #[serde(default)]
    deposed: String,
    attributes: Option<Attributes>,
}

#[derive(Deserialize)]
struct Attributes {
    /// The name of a DNS record, a text.
    fqdn: Option<serde_json::Value>,
    /// What the provider calls the resource, a text.
    id: Option<serde_json::Value>,
}

impl Instance {
    /// Whether the next run replaces or removes it.
    fn is_replaced(&self) -> bool {
        self.status == TAINTED || !self.deposed.is_empty()
    }
}

/// The addresses of the resources that stand in the state of a stage, without those that are only read; none
/// where there is no state.
///
/// # Errors
/// The state cannot be read or understood.
pub fn resources(folder: &Path) -> Result<Vec<String>, Fault> {
    Ok(addresses(&in_state(folder)?, |_| true))
}

/// As [`resources`], without those that the next run replaces, as their creation failed.
///
/// # Errors
/// The state cannot be read or understood.
pub fn complete_resources(folder: &Path) -> Result<Vec<String>, Fault> {
    Ok(addresses(&in_state(folder)?, |instance| !instance.is_replaced()))
}

/// The resources that the next run replaces as their creation failed: types and addresses.
///
/// # Errors
/// The state cannot be read or understood.
pub fn tainted(folder: &Path) -> Result<Vec<(String, String)>, Fault> {
    Ok(in_state(folder)?.iter().flat_map(of_failed_creation).collect())
}

fn of_failed_creation(resource: &Resource) -> impl Iterator<Item = (String, String)> {
    let instances = resource.instances.iter();
    let tainted = instances.filter(|one| one.status == TAINTED && one.deposed.is_empty());
    tainted.map(|instance| (resource.sort.clone(), address(resource, instance)))
}

fn in_state(folder: &Path) -> Result<Vec<Resource>, Fault> {
    let path = folder.join(STATE);
    let bytes = streams::read(&path)?.unwrap_or_default();
    managed(&bytes).map_err(|why| Fault::State { path, why })
}

/// The names of the DNS records in the state of a stage, as the provider writes them.
///
/// # Errors
/// The state cannot be read or understood.
pub fn record_names(folder: &Path) -> Result<Vec<String>, Fault> {
    Ok(values(&in_state(folder)?, |attributes| attributes.fqdn.as_ref()))
}

/// The ids of the resources in the state of a stage, as the provider writes them.
///
/// # Errors
/// The state cannot be read or understood.
pub fn ids(folder: &Path) -> Result<Vec<String>, Fault> {
    Ok(values(&in_state(folder)?, |attributes| attributes.id.as_ref()))
}

/// The texts that an attribute has.
fn values(resources: &[Resource], of: fn(&Attributes) -> Option<&serde_json::Value>) -> Vec<String> {
    let instances = resources.iter().flat_map(|resource| &resource.instances);
    let values = instances.filter_map(|instance| of(instance.attributes.as_ref()?)?.as_str());
    values.map(str::to_owned).collect()
}

/// The addresses of the instances that count.
fn addresses(resources: &[Resource], counts: fn(&Instance) -> bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for resource in resources {
        for instance in resource.instances.iter().filter(|instance| counts(instance)) {
            let address = address(resource, instance);
            // The rest of a replacement is next to its successor.
            if !found.contains(&address) {
                found.push(address);
            }
        }
    }
    found
}

/// The resources in a state that terraform manages. Why they cannot be read, in words that hold nothing of it.
fn managed(bytes: &[u8]) -> Result<Vec<Resource>, String> {
    if bytes.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let state: State = serde_json::from_slice(bytes).map_err(|error| {
        format!("it is not a Terraform state (line {}, column {})", error.line(), error.column())
    })?;
    if state.encrypted_data.is_some() {
        return Err("it is encrypted".to_owned());
    }
    if state.version != VERSION {
        return Err(format!("it has format {}; only {VERSION} is supported", state.version));
    }
    Ok(state.resources.into_iter().filter(|resource| resource.mode == MANAGED).collect())
}

fn address(resource: &Resource, instance: &Instance) -> String {
    let module = if resource.module.is_empty() { String::new() } else { format!("{}.", resource.module) };
    let index = instance.index_key.as_ref().map(|key| format!("[{key}]")).unwrap_or_default();
    format!("{module}{}.{}{index}", resource.sort, resource.name)
}

/// Protects the state of a stage from others, if somebody made it readable.
pub(super) fn restrict(folder: &Path) -> Result<(), Fault> {
    COPIES.iter().try_for_each(|name| streams::restrict_file(&folder.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_managed() {
        let state = serde_json::json!({
            "version": 4, "terraform_version": "1.11.4", "serial": 7, "lineage": "x", "outputs": {},
            "resources": [
                {"mode": "data", "type": "aws_ami", "name": "this", "instances": [{"attributes": {}}]},
                {"mode": "managed", "type": "aws_vpc", "name": "this", "instances": [{"attributes": {}}]},
                {"mode": "managed", "type": "aws_instance", "name": "master",
                 "instances": [{"index_key": 0}, {"index_key": 1}, {"index_key": 1, "deposed": "ab12"}]},
                {"module": "module.dns", "mode": "managed", "type": "aws_route53_record", "name": "api",
                 "instances": [{"index_key": "a\"b"}]},
                {"mode": "managed", "type": "aws_eip", "name": "none", "instances": []},
            ],
        });
        let expected = [
            "aws_vpc.this",
            "aws_instance.master[0]",
            "aws_instance.master[1]",
            "module.dns.aws_route53_record.api[\"a\\\"b\"]",
        ];
        let found = all(state.to_string().as_bytes());
        assert_eq!(found, Ok(expected.map(str::to_owned).to_vec()));
    }

    fn all(bytes: &[u8]) -> Result<Vec<String>, String> {
        managed(bytes).map(|all| addresses(&all, |_| true))
    }

    #[test]
    fn what_is_replaced_is_not_complete() {
        let state = serde_json::json!({
            "version": 4,
            "resources": [
                {"mode": "managed", "type": "aws_instance", "name": "bootstrap",
                 "instances": [{"status": "tainted", "attributes": {}}]},
                {"mode": "managed", "type": "aws_instance", "name": "master",
                 "instances": [{"index_key": 0}, {"index_key": 0, "deposed": "ab12"},
                               {"index_key": 1, "deposed": "cd34"}]},
            ],
        });
        let bytes = state.to_string().into_bytes();
        let complete = managed(&bytes).map(|all| addresses(&all, |instance| !instance.is_replaced()));
        assert_eq!(complete, Ok(vec!["aws_instance.master[0]".to_owned()]));
        assert_eq!(all(&bytes).map(|all| all.len()), Ok(3));
        let tainted: Vec<(String, String)> =
            managed(&bytes).iter().flatten().flat_map(of_failed_creation).collect();
        assert_eq!(tainted, [("aws_instance".to_owned(), "aws_instance.bootstrap".to_owned())]);
    }

    #[test]
    fn the_names_of_records_are_read() {
        let record = |attributes: serde_json::Value| {
            serde_json::json!({ "mode": "managed", "type": "aws_route53_record", "name": "api",
                                "instances": [{ "attributes": attributes }] })
        };
        let state = serde_json::json!({ "version": 4, "resources": [
            record(serde_json::json!({ "fqdn": "api.demo.example.com", "ttl": 60 })),
            record(serde_json::json!({ "id": "vpc-1" })),
            record(serde_json::Value::Null),
        ] });
        let state = state.to_string();
        let values = |of: fn(&Attributes) -> Option<&serde_json::Value>| {
            managed(state.as_bytes()).map(|all| values(&all, of))
        };
        assert_eq!(values(|one| one.fqdn.as_ref()), Ok(vec!["api.demo.example.com".to_owned()]));
        assert_eq!(values(|one| one.id.as_ref()), Ok(vec!["vpc-1".to_owned()]));
    }

    #[test]
    fn nothing_is_not_a_fault() {
        assert_eq!(all(b""), Ok(Vec::new()));
        assert_eq!(all(b"\n"), Ok(Vec::new()));
        assert_eq!(all(b"{\"version\":4}"), Ok(Vec::new()));
        assert_eq!(resources(Path::new("/nonexistent/landfall")).ok(), Some(Vec::new()));
    }

    #[test]
    fn what_cannot_be_read_is_not_taken_for_nothing() {
        let broken = [
            "{\"version\":4,\"resources\":[",
            "{\"version\":3}",
            "{\"version\":4,\"encrypted_data\":\"x\"}",
            "{\"version\":4,\"resources\":[{\"mode\":\"canary\"}]}",
            "{\"version\":\"canary\"}",
        ];
        for text in broken {
            let why = all(text.as_bytes()).err();
            assert!(why.as_ref().is_some_and(|why| !why.contains("canary")), "{text}: {why:?}");
        }
    }
}
