//! Whether the cloud has what Terraform reports as created.

use landfall_engine_terraform::{Stop, Terraform};
use landfall_model::plan::Plan;

use super::Job;
use super::native::STOPPING;
use crate::cli::engine::{self, Shown};
use crate::install::{self, Confirmation, Confirmed, Drift, Fault};
use crate::workdir::ClusterDir;

/// What is said where something was restored.
const RESTORED: &str =
    "restored these resources, which were missing or differed although the cloud confirmed them";

impl Job<'_> {
    /// What is missing or changed after a run. `continued` says whether calls of Terraform failed in it: then it is an
    /// error where the resources cannot be read.
    pub(super) fn unconfirmed(
        &self,
        terraform: &Terraform,
        cluster: &mut ClusterDir,
        plan: &Plan,
        continued: bool,
    ) -> Result<Vec<Drift>, Fault> {
        let talk = |line: &str| self.settings.printer.talk(line);
        match self.confirmed(plan) {
            Ok(Some(confirmed)) => {
                if !confirmed.restored.is_empty() {
                    talk(&format!("{RESTORED}: {}", confirmed.restored.join(", ")));
                }
                if confirmed.missing.is_empty() && (confirmed.differences.is_empty() || !continued) {
                    return Ok(Vec::new());
                }
            }
            Ok(None) if !continued => return Ok(Vec::new()),
            Err(fault) if fault.is_interrupted() => return Err(fault),
            Err(fault) if !continued => {
                talk(&format!("the resources were created, but could not be read again: {fault}"));
                return Ok(Vec::new());
            }
            Ok(None) | Err(_) => {}
        }
        let (shown, stop) = (Shown::new(self.settings), Stop::default());
        let mut site = self.seen(terraform, cluster, plan, &shown, &stop);
        let mut found = self.looking(site.unconfirmed(), &stop, &shown, engine::TERRAFORM_STOPS)?;
        found.retain(|one| !(one.missing.is_empty() && one.changed.is_empty()));
        Ok(found)
    }

    /// The resources as landfall's own calls read them; none where the native engine does not know all of them, or the
    /// platform has no links.
    fn confirmed(&self, plan: &Plan) -> Result<Option<Confirmed>, Fault> {
        let Ok(Some(graph)) = self.platform.resources(plan, &self.basis.catalogue) else { return Ok(None) };
        let secrets = install::secrets(self.directory)?;
        let api = self.session.and_then(|session| session.api(&plan.identity.infra_id, &secrets));
        let Some(api) = api else { return Ok(None) };
        if !graph.resources.iter().any(|node| api.traits(node.kind).is_link) {
            return Ok(None);
        }
        let (shown, stop) = (Shown::new(self.settings), Stop::default());
        let confirmation = Confirmation {
            root: self.directory,
            platform: self.platform,
            api: &*api,
            graph: &graph,
            cluster_id: &plan.identity.cluster_id,
            stop: &stop,
        };
        self.looking(confirmation.read(), &stop, &shown, STOPPING)
    }
}
