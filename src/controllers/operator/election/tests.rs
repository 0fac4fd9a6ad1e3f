//! Tests of the election, with a lease that is played.

use std::sync::{Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::*;

/// A cluster that has one lease and nothing else.
#[derive(Default)]
struct Played(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    lease: Option<Value>,
    version: u64,
    down: bool,
}

impl Kept {
    /// Merges into the lease, as the API does.
    fn merge(&mut self, patch: &Value) -> Result<Value, Fault> {
        if self.down {
            return Err(Fault::late());
        }
        let lease = self.lease.as_mut().ok_or(Fault::NotFound)?;
        let bound = patch.pointer("/metadata/resourceVersion");
        if bound.is_some() && bound != lease.pointer("/metadata/resourceVersion") {
            return Err(Fault::Answer { status: 409, why: String::new() });
        }
        json_patch::merge(lease, patch);
        self.version += 1;
        lease["metadata"]["resourceVersion"] = json!(self.version.to_string());
        Ok(lease.clone())
    }
}

impl Played {
    fn kept<T>(&self, with: impl FnOnce(&mut Kept) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn holder(&self) -> String {
        self.kept(|kept| kept.lease.as_ref().map(|lease| seen(lease).holder)).unwrap_or_default()
    }
}

impl Objects for Played {
    fn get<'a>(&'a self, _: &'a Place) -> BoxFuture<'a, Result<Option<Value>, Fault>> {
        async move { self.kept(|kept| if kept.down { Err(Fault::late()) } else { Ok(kept.lease.clone()) }) }
            .boxed()
    }

    fn apply<'a>(&'a self, _: &'a Place, object: Value, _: Part) -> BoxFuture<'a, Result<Value, Fault>> {
        async move {
            self.kept(|kept| {
                kept.lease.get_or_insert_with(|| json!({}));
                kept.merge(&object)
            })
        }
        .boxed()
    }

    fn merge<'a>(&'a self, _: &'a Place, patch: Value, _: Part) -> BoxFuture<'a, Result<Value, Fault>> {
        async move { self.kept(|kept| kept.merge(&patch)) }.boxed()
    }

    fn delete<'a>(&'a self, _: &'a Place) -> BoxFuture<'a, Result<bool, Fault>> {
        async move { Ok(self.kept(|kept| kept.lease.take()).is_some()) }.boxed()
    }
}

fn election(cluster: &Arc<Played>, identity: &str) -> Election {
    let objects: Arc<dyn Objects> = Arc::<Played>::clone(cluster);
    Election::new(objects, "here", "lease", identity.to_owned())
}

#[tokio::test(start_paused = true)]
async fn who_is_first_leads_and_who_gives_back_makes_way() {
    let cluster = Arc::new(Played::default());
    let (first, second) = (election(&cluster, "first"), election(&cluster, "second"));
    let held = first.win(|| {}).await;
    assert_eq!(cluster.holder(), "first");
    let begin = Instant::now();
    let ending = async {
        sleep(Duration::from_secs(3)).await;
        first.release(&held).await;
    };
    tokio::join!(second.win(|| {}), ending);
    assert_eq!(cluster.holder(), "second");
    assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_not_renewed_is_taken_after_its_time() {
    let cluster = Arc::new(Played::default());
    election(&cluster, "first").win(|| {}).await;
    let begin = Instant::now();
    election(&cluster, "second").win(|| {}).await;
    assert_eq!(cluster.holder(), "second");
    let took = begin.elapsed();
    assert!(took >= DURATION && took < DURATION + LOOK * 2, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_renewed_is_not_taken() {
    let cluster = Arc::new(Played::default());
    let first = election(&cluster, "first");
    let second = election(&cluster, "second");
    let mut held = first.win(|| {}).await;
    tokio::select! {
        () = first.hold(&mut held) => assert_eq!(cluster.holder(), "first", "it is lost"),
        _ = second.win(|| {}) => assert_eq!(cluster.holder(), "first", "it is taken"),
        () = sleep(Duration::from_mins(10)) => {}
    }
    assert_eq!(cluster.holder(), "first");
    let since = held.renewed.elapsed();
    assert!(since < DEADLINE, "{since:?}");
}

#[tokio::test(start_paused = true)]
async fn who_cannot_renew_stops_before_another_takes_over() {
    let cluster = Arc::new(Played::default());
    let first = election(&cluster, "first");
    let mut held = first.win(|| {}).await;
    let renewed = held.renewed;
    cluster.kept(|kept| kept.down = true);
    first.hold(&mut held).await;
    let since = renewed.elapsed();
    assert!(since >= RENEWAL && since < DURATION, "{since:?}");
}

#[tokio::test(start_paused = true)]
async fn another_ones_label_is_no_loss_and_another_holder_is() {
    let cluster = Arc::new(Played::default());
    let first = election(&cluster, "first");
    let mut held = first.win(|| {}).await;
    let touched = cluster.kept(|kept| kept.merge(&json!({ "metadata": { "labels": { "a": "b" } } })));
    assert!(touched.is_ok());
    assert!(first.renew(&mut held).await);
    let taken = cluster.kept(|kept| kept.merge(&json!({ "spec": { "holderIdentity": "second" } })));
    assert!(taken.is_ok());
    assert!(!first.renew(&mut held).await);
}
