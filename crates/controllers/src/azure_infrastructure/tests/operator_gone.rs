//! An operator that goes while a cluster is created.

use std::sync::atomic::AtomicU32;

use futures::FutureExt as _;
use landfall_diagnostics::Finding;
use landfall_engine_aso::detect;

use super::super::operator::Lookout;
use super::*;

/// An operator with so many replicas.
pub(super) struct Replicas(pub(super) Arc<AtomicU32>);

impl Lookout for Replicas {
    fn operator(&self) -> BoxFuture<'_, Result<detect::Cluster, Fault>> {
        async move {
            let mut cluster = Usable.operator().await?;
            for deployment in &mut cluster.deployments {
                deployment.available = self.0.load(Ordering::Relaxed);
            }
            Ok(cluster)
        }
        .boxed()
    }

    fn denied(&self) -> BoxFuture<'_, Result<Vec<Finding>, Fault>> {
        async { Ok(Vec::new()) }.boxed()
    }
}

/// The objects that there are were made long ago, and nobody has looked at them.
fn grow_old(stage: &Stage) {
    for kind in KINDS {
        for mut object in stage.played.all(kind.plural) {
            let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            object["metadata"]["creationTimestamp"] = json!("2020-01-01T00:00:00Z");
            let stands = stage.played.put(at(kind.plural, &name), object);
            stage.controller.driver.store.note(ObjectEvent::Is(kind.kind, stands));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn where_nobody_looks_at_objects_the_operator_is_looked_at_again() {
    let mut stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let available = Arc::new(AtomicU32::new(1));
    stage.controller.operator = Arc::new(Operator::new(Box::new(Replicas(Arc::clone(&available)))));
    assert!(stage.controller.run(&key()).await.is_ok());
    grow_old(&stage);
    available.store(0, Ordering::Relaxed);
    tokio::time::advance(Duration::from_secs(20)).await;
    // What was seen of the operator before still counts.
    assert!(stage.controller.run(&key()).await.is_ok());
    assert_eq!(stage.condition("Ready"), "False Failing");
    assert_eq!(stage.condition("OperatorReady"), "True Usable");
    tokio::time::advance(Duration::from_secs(20)).await;
    let failed = stage.controller.run(&key()).await.err();
    let told = failed.filter(|failed| failed.retry).map(|failed| failed.note).unwrap_or_default();
    for words in ["Azure Service Operator has no available replica", "landfall aso check --namespace here"] {
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(stage.condition("OperatorReady"), "False OperatorUnusable");
}
