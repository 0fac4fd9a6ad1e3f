//! The bootstrap machine that Azure Service Operator made: its objects go, and with them what they stand for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use landfall_diagnostics::Finding;
use landfall_engine_aso::core::PLAN_LIMIT;
use landfall_engine_aso::desired::Need;
use landfall_engine_aso::drive::{Ground, Step, Worked};
use landfall_engine_aso::translate::{Creator, Domains, Ignition, Input, translate};
use landfall_model::plan::Plan;
use landfall_net::stop::Stop;
use serde_json::{Value, json};

use super::super::aso::at_home;
use super::super::{ended, note};
use super::{Args, agreed};
use crate::cli::aso::management::{ASKING, Management, Refused, Shown, described, judged, outcome, stopping};
use crate::cli::aso::reached::Reached;
use crate::cli::{Ended, Exit, Settings, engine};
use crate::prepare::target::Named;
use crate::prepare::{self, Basis, Engine, Environment, FACTS, FactsFrom, Options, Outlook, Refusal};
use crate::ui::{json as json_form, watched};
use crate::workdir::{BOOTSTRAP_REMOVAL, ClusterDir, Durability, StepResult};

/// The kind of the container with the ignition config.
const CONTAINER: &str = "StorageAccountsBlobServicesContainer";

/// The kind of the machines.
const MACHINE: &str = "VirtualMachine";

/// The objects that a cluster has for its bootstrap alone, or why the operator can make no machines of its
/// plan.
type Temporary = Result<Vec<Need>, Vec<Finding>>;

/// Removes the objects of the bootstrap machine.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub(super) fn remove(args: &Args, named: &Named, made: Engine, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let cluster = ClusterDir::open(&directory)?;
    let temporary = temporary(&outlook(args, made.clone(), &directory)?.plan);
    let ground = Ground { infra_id: named.target.infra_id.clone(), namespace: made.namespace };
    let removal = Removal { ground: &ground, cluster: &cluster, settings, is_part: args.is_part };
    let runtime = prepare::runtime()?;
    let look = removal.look(args, named, &temporary);
    let found = runtime.block_on(watched(&settings.printer, ASKING, None, look));
    let exit = match found {
        Ok((_, objects)) if removal.is_gone(&objects)? => removal.nothing(),
        Ok((reached, objects)) => agreed(args, named, objects.len(), settings)
            .and_then(|()| removal.prune(&runtime, &reached, objects)),
        Err((findings, exit)) => Ok(ended(outcome(exit), &findings, exit, settings)?),
    };
    runtime.shutdown_background();
    exit
}

/// What the directory would become, by the facts that the cluster was made with.
fn outlook(args: &Args, made: Engine, directory: &Path) -> Result<Outlook, Refusal> {
    let basis = Basis::new(&args.basis.options()?, directory)?;
    let examined = prepare::examine(directory, &basis, args.reading.into())?;
    let options = Options {
        strictness: args.reading.into(),
        engine: Some(made),
        durability: Durability::Fsync,
        ..Options::reading(FactsFrom::File(directory.join(FACTS)))
    };
    prepare::outlook(directory, &basis, &examined, &options, Environment)
}

/// What of a plan is there for the bootstrap alone.
fn temporary(plan: &Plan) -> Temporary {
    let patches = BTreeMap::new();
    let objects = |bootstrap: bool| -> Temporary {
        let translation = translate(&Input {
            plan,
            // No object is named after one.
            cloud: Domains::default(),
            machines: true,
            bootstrap,
            api_internal_ip: None,
            ignition: Ignition::default(),
            patches: &patches,
            creator: Creator::Operator,
        })?;
        let ids = translation.objects.into_iter();
        Ok(ids.map(|desired| Need { kind: desired.kind.kind, name: desired.name }).collect())
    };
    let stays = objects(false)?;
    let mut all = objects(true)?;
    // What the machine started from goes, too: it has secrets of the cluster.
    all.retain(|id| id.kind == CONTAINER || !stays.contains(id));
    Ok(all)
}

/// The removal of a bootstrap machine.
struct Removal<'a> {
    ground: &'a Ground,
    cluster: &'a ClusterDir,
    settings: &'a Settings,
    /// Whether another command goes on from here.
    is_part: bool,
}

impl Removal<'_> {
    /// The management cluster, and what stands there for the bootstrap alone.
    async fn look(
        &self,
        args: &Args,
        named: &Named,
        temporary: &Temporary,
    ) -> Result<(Reached, Vec<Need>), Refused> {
        let ground = self.ground;
        let management = Management::of(args.management.kubeconfig.as_deref())?;
        at_home(named, &management.live, ground).await?;
        let reached = Reached::of(management, ground, |kind| match temporary {
            Ok(objects) => objects.iter().any(|id| id.kind == kind.kind),
            Err(_) => kind.kind == MACHINE,
        });
        let reached = reached.await?;
        // Of a plan that the operator can make no machines of, there are none.
        let is_wanted = |id: &Need| match temporary {
            Ok(objects) => objects.contains(id),
            Err(_) => id.kind == MACHINE,
        };
        let found = {
            let (shown, stop) = (Shown::new(self.settings, PLAN_LIMIT), Stop::default());
            let place = reached.place(ground, &shown, &stop);
            stopping(&stop, place.standing(reached.feed(ground), is_wanted)).await
        };
        let objects = found.map_err(|ended| match judged(&ended, ground) {
            // Nothing began.
            (findings, Exit::PartWay) => (findings, Exit::Unfit),
            other => other,
        })?;
        match temporary {
            Err(findings) if !objects.is_empty() => Err((findings.clone(), Exit::Unfit)),
            _ => Ok((reached, objects)),
        }
    }

    /// Whether nothing of the machine is left. A container alone is that of a cluster without one, or of a later run,
    /// unless a removal was interrupted.
    fn is_gone(&self, objects: &[Need]) -> Result<bool, Ended> {
        let steps = self.cluster.steps()?;
        let is_begun = steps.last(BOOTSTRAP_REMOVAL).is_some_and(|last| last.result != StepResult::Done);
        Ok(objects.iter().all(|id| id.kind == CONTAINER && !is_begun))
    }

    /// Says that nothing is there: it is gone, or there never was such a machine.
    fn nothing(&self) -> Result<Exit, Ended> {
        let steps = self.cluster.steps()?;
        let Some(last) = steps.last(BOOTSTRAP_REMOVAL) else {
            let line =
                format!("Azure Service Operator created no bootstrap machine of {}", self.ground.infra_id);
            return self.finish(&[], &[], Exit::Done, &line);
        };
        if last.result != StepResult::Done {
            note(self.cluster, BOOTSTRAP_REMOVAL, StepResult::Done, "nothing was left")?;
        }
        self.finish(&[], &[], Exit::Done, &self.gone())
    }

    fn gone(&self) -> String {
        format!("the bootstrap machine of {} is gone", self.ground.infra_id)
    }

    /// Removes these objects, between two notes in the journal of steps.
    fn prune(
        &self,
        runtime: &tokio::runtime::Runtime,
        reached: &Reached,
        objects: Vec<Need>,
    ) -> Result<Exit, Ended> {
        note(self.cluster, BOOTSTRAP_REMOVAL, StepResult::Began, "")?;
        let (shown, stop) = (Shown::new(self.settings, PLAN_LIMIT), Stop::default());
        let worked = runtime.block_on(async {
            let place = reached.place(self.ground, &shown, &stop);
            shown.during(stopping(&stop, Box::pin(place.prune(reached.feed(self.ground), objects)))).await
        });
        drop(shown);
        let (findings, exit) = judged(&worked, self.ground);
        let none = Step::default();
        let last = if let Worked::Ended(_, step) = &worked { step } else { &none };
        let (result, detail) = match exit {
            Exit::Done => (StepResult::Done, format!("{} removed", last.objects.len())),
            Exit::Interrupted => (StepResult::Interrupted, String::new()),
            _ => (StepResult::Failed, String::new()),
        };
        note(self.cluster, BOOTSTRAP_REMOVAL, result, &detail)?;
        let work: Vec<Value> = last.objects.iter().map(described).collect();
        self.finish(&work, &findings, exit, &self.gone())
    }

    /// Says how it ended.
    fn finish(&self, work: &[Value], findings: &[Finding], exit: Exit, line: &str) -> Result<Exit, Ended> {
        let Ground { infra_id, namespace } = self.ground;
        let value = json!({
            "outcome": outcome(exit),
            "infraID": infra_id,
            "engine": { "name": super::super::aso::NAME, "namespace": namespace },
            "work": work,
            "findings": json_form::placeless(findings),
        });
        engine::concluded(&value, (findings, exit), line, !self.is_part, self.settings)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a cluster directory is made here")]

    use std::fs;

    use super::*;
    use crate::prepare::BasisOptions;
    use landfall_azure::credentials::{SUBSCRIPTION_ID, TENANT_ID};
    use landfall_diagnostics::Findings;
    use landfall_diagnostics::secret::Secret;
    use landfall_install_config::assets;
    use landfall_install_config::verdict::Strictness;

    const CONFIG: &str = r#"
apiVersion: v1
baseDomain: example.com
metadata: { name: demo }
platform:
  azure: { region: eastus, baseDomainResourceGroupName: dns-rg }
publish: External
pullSecret: '{"auths":{"example.com":{"auth":"ZHVtbXk6ZHVtbXk="}}}'
sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBERERERERERERERERERERERERERERERERERERERERER
"#;

    fn temporary_of(config: &str) -> Option<Temporary> {
        let root = tempfile::tempdir().ok()?;
        fs::write(root.path().join(prepare::INSTALL_CONFIG), config).ok()?;
        let basis = Basis::new(&BasisOptions::default(), root.path()).ok()?;
        let examined = prepare::examine(root.path(), &basis, Strictness::default()).ok()?;
        let id = || Secret::new("11111111-2222-3333-4444-555555555555".to_owned());
        let mut ids = assets::credentials(&examined.config, &Environment);
        ids.extend([(SUBSCRIPTION_ID, id()), (TENANT_ID, id())]);
        let facts = prepare::facts_of_catalogue(&examined.config, &basis, &ids, &mut Findings::default());
        let options = Options {
            infra_id: Some("demo-x7k2p".to_owned()),
            engine: Some(Engine { name: "aso".to_owned(), namespace: String::new(), machines: true }),
            ..Options::reading(FactsFrom::Given(Box::new(facts)))
        };
        let outlook = prepare::outlook(root.path(), &basis, &examined, &options, Environment).ok()?;
        Some(temporary(&outlook.plan))
    }

    #[test]
    fn only_what_leads_to_the_bootstrap_machine_is_temporary() {
        let kinds = |config: &str| -> Option<Vec<&'static str>> {
            let objects = temporary_of(config)?.ok()?;
            assert!(objects.iter().all(|id| !id.name.contains("master")), "{objects:?}");
            Some(objects.iter().map(|id| id.kind).collect())
        };
        let rule = "NetworkSecurityGroupsSecurityRule";
        let public = [CONTAINER, rule, "LoadBalancersInboundNatRule", "NetworkInterface", MACHINE];
        assert_eq!(kinds(CONFIG).as_deref(), Some(&public[..]));
        let internal = CONFIG.replace("publish: External", "publish: Internal");
        assert_eq!(kinds(&internal).as_deref(), Some(&[CONTAINER, rule, "NetworkInterface", MACHINE][..]));
        // Nobody could log in to machines without a key.
        let keyless: String =
            CONFIG.lines().filter(|line| !line.starts_with("sshKey")).collect::<Vec<_>>().join("\n");
        assert!(temporary_of(&keyless).is_some_and(|temporary| temporary.is_err()));
    }
}
