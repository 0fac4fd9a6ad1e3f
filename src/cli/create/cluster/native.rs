//! `landfall create cluster --engine native`.

use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_engine_terraform::Stop;
use landfall_model::plan::{self, Plan};
use landfall_platform::cloud::Asking;
use landfall_platform::native::{Api, Graph};
use serde_json::json;
use tokio::time::Instant;

use super::steps::{Begun, Done};
use super::{Ended, Going, Job};
use crate::cli::engine::Shown;
use crate::cli::{Exit, engine};
use crate::install::{Drift, Fault, NativeLook, NativeSite};
use crate::prepare::{Environment, FactsFrom};
use crate::workdir::{ClusterDir, StepResult};
use crate::{install, prepare};

/// The name of the engine.
pub(super) const NAME: &str = plan::Engine::Native.name();

/// For how long the lists of a cloud count that were read before the user was asked.
const FRESH: Duration = Duration::from_mins(1);

/// What is said when the user stops the work, and when it is said again.
pub(super) const STOPPING: [&str; 2] = [
    "stopping: landfall finishes and records the calls in progress, and starts no other",
    "still stopping: landfall finishes the calls in progress, so that nothing is lost",
];

impl Job<'_> {
    pub(super) fn native(&self, asking: &Asking<'_>, ask: &prepare::Ask<'_>) -> Going<Exit> {
        if !self.args.plan {
            self.ignition().look(self.directory)?;
        }
        let facts = self.facts(asking, ask)?;
        ask.watcher.over();
        if self.args.plan { self.show(facts) } else { self.create(facts) }
    }

    /// The resources of a plan, unless the engine cannot create one of its settings.
    pub(super) fn resources(&self, plan: &Plan) -> Going<Graph> {
        let not_native = || vec![landfall_platform::pages::not_native(self.platform.name())];
        let resources = self.platform.resources(plan, &self.basis.catalogue);
        let resources = resources.and_then(|graph| graph.ok_or_else(not_native));
        resources.map_err(|findings| Ended::Findings(findings, Exit::Unfit))
    }

    /// Writes the files and creates the resources.
    fn create(&self, facts: FactsFrom<'static>) -> Going<Exit> {
        let options = self.options(facts.clone());
        let outlook = prepare::outlook(self.directory, self.basis, self.examined, &options, Environment)?;
        self.resources(&outlook.plan)?;
        let Begun { mut cluster, prepared, graph, mut summary } = self.begin(facts)?;
        let graph = graph.unwrap_or_default();
        let engine = json!({ "name": NAME, "version": env!("CARGO_PKG_VERSION") });
        let mut done = Done::default();
        let secrets = install::secrets(cluster.root())?;
        let infra_id = &prepared.plan.identity.infra_id;
        let connect = || self.session.and_then(|session| session.api(infra_id, &secrets));
        let (mut api, connected) = (connect(), Instant::now());
        if let Some(api) = api.as_deref().filter(|_| summary.existing() > 0) {
            match self.native_drift(&graph, api) {
                Ok(drift) => done.drift = self.drifted(&drift, &mut summary, false),
                Err(fault) => {
                    let all = (&prepared, &summary);
                    return self.finish(&cluster, engine, all, &done, Err(fault), &[]);
                }
            }
        }
        self.agreed(&prepared, &summary)?;
        if connected.elapsed() > FRESH {
            api = connect();
        }
        let shown = Shown::new(self.settings).knowing(summary.standing());
        let stop = Stop::default();
        let api = api.as_deref();
        let work = self.create_all(&mut cluster, &prepared.plan, &graph, (api, &shown, &stop), &mut done);
        let result = self.runtime.block_on(engine::stoppable(work, &stop, &shown, STOPPING));
        drop(shown);
        let (differences, result) = match result {
            Ok(differences) => (differences, Ok(())),
            Err(fault) => (Vec::new(), Err(fault)),
        };
        self.finish(&cluster, engine, (&prepared, &summary), &done, result, &differences)
    }

    /// What of the existing resources is not as earlier runs left it.
    fn native_drift(&self, graph: &Graph, api: &dyn Api) -> Result<Vec<Drift>, Fault> {
        let (shown, stop) = (Shown::new(self.settings), Stop::default());
        let look = NativeLook { root: self.directory, platform: self.platform, api, graph };
        self.looking(look.drift(), &stop, &shown, STOPPING)
    }

    /// The same for a plan that is only shown. Nothing is known where the cloud is not asked.
    pub(super) fn native_drift_of(&self, plan: &Plan, graph: &Graph) -> anyhow::Result<Vec<Drift>> {
        if self.args.facts.given().is_some() {
            return Ok(Vec::new());
        }
        let secrets = install::secrets(self.directory)?;
        let api = self.session.and_then(|session| session.api(&plan.identity.infra_id, &secrets));
        Ok(api.map(|api| self.native_drift(graph, &*api)).transpose()?.unwrap_or_default())
    }

    async fn create_all(
        &self,
        cluster: &mut ClusterDir,
        plan: &Plan,
        graph: &Graph,
        (api, shown, stop): (Option<&dyn Api>, &Shown<'_>, &Stop),
        done: &mut Done,
    ) -> Result<Vec<Finding>, Fault> {
        let (Some(session), Some(api)) = (self.session, api) else {
            let finding = landfall_platform::pages::not_native(self.platform.name());
            return Err(Fault::Refused(Box::new(finding)));
        };
        self.adopt(session, cluster, plan, shown, done).await?;
        let mut site = NativeSite {
            cluster,
            platform: self.platform,
            cluster_id: &plan.identity.cluster_id,
            api,
            graph,
            watcher: shown,
            stop,
            now: prepare::now,
        };
        install::apply_native(&mut site, &mut done.stages).await
    }

    /// Marks what the user brought.
    pub(super) async fn adopt(
        &self,
        session: &dyn landfall_platform::cloud::Session,
        cluster: &ClusterDir,
        plan: &Plan,
        shown: &Shown<'_>,
        done: &mut Done,
    ) -> Result<(), Fault> {
        let marked = session.adopt(plan).await.map_err(install::refused)?;
        for sentence in &marked {
            install::Watcher::told(shown, sentence);
        }
        if !marked.is_empty() {
            engine::note(cluster, "adopt", StepResult::Done, &marked.join("; "))?;
        }
        done.adopted.extend(marked);
        Ok(())
    }
}
