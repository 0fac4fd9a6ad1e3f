//! How resources are found and created.

use landfall_platform::cloud::Waiting;
use landfall_platform::native::{Api, Existing, Failure, Properties, State, Traits, Wanted};
use serde_json::{Value, json};

use crate::account::{Account, Held};
use crate::cloud::unreachable;

/// The calls for one cluster.
pub(super) struct Create<'a> {
    pub(super) account: &'a Account,
    pub(super) infra_id: &'a str,
}

fn failed(why: &str) -> Failure {
    Failure::Unknown(Box::new(unreachable(why)))
}

impl Create<'_> {
    /// The id of a resource, which is unique as names are.
    fn id(&self, wanted: &Wanted) -> String {
        format!("{}/{}", self.infra_id, wanted.name)
    }

    fn outputs(&self, wanted: &Wanted) -> Properties {
        Properties::from_iter([("id".to_owned(), json!(self.id(wanted)))])
    }
}

/// The properties as the cloud keeps them: without secrets.
fn kept(inputs: &Properties) -> Properties {
    let shown = inputs.iter().filter(|(key, _)| *key != "userData");
    shown.map(|(key, value)| (key.clone(), value.clone())).collect()
}

impl Api for Create<'_> {
    fn find<'s>(&'s self, wanted: &'s Wanted, _: bool) -> Waiting<'s, Result<Option<Existing>, Failure>> {
        Box::pin(async move {
            let content = self.account.read().map_err(|why| failed(&why))?;
            let Some(held) = content.resources.get(&self.id(wanted)) else { return Ok(None) };
            let differences = kept(&wanted.inputs).into_iter().filter_map(|(key, value)| {
                let is = held.properties.get(&key).cloned().unwrap_or(Value::Null);
                (is != value).then_some((key, is, value))
            });
            let (outputs, state) = (self.outputs(wanted), State::Ready);
            Ok(Some(Existing { outputs, differences: differences.collect(), state, is_own: None }))
        })
    }

    fn create<'s>(&'s self, wanted: &'s Wanted) -> Waiting<'s, Result<Properties, Failure>> {
        Box::pin(async move {
            let held = Held {
                kind: wanted.kind.to_owned(),
                name: wanted.name.clone(),
                cluster: self.infra_id.to_owned(),
                properties: kept(&wanted.inputs),
            };
            let added = self.account.change(|content| content.resources.insert(self.id(wanted), held));
            added.map_err(|why| failed(&why))?;
            Ok(self.outputs(wanted))
        })
    }

    fn traits(&self, _: &str) -> Traits {
        Traits { blocks: true, ..Traits::default() }
    }
}
