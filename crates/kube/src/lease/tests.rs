//! Tests of the lease, which is played and whose time is turned on.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};

use futures::FutureExt as _;

use super::*;
use crate::kinds::LEASE;

const TERMS: Terms = Terms {
    duration: Duration::from_secs(15),
    deadline: Duration::from_secs(10),
    renewal: Duration::from_secs(5),
    look: Duration::from_secs(2),
    patience: Duration::from_secs(3),
};

/// A cluster that has one lease and nothing else.
#[derive(Default)]
struct Played(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    lease: Option<Value>,
    version: u64,
    is_down: bool,
    /// Whether another process creates the lease just before it is created here.
    is_raced: bool,
}

impl Kept {
    /// Merges into the lease, as the API does.
    fn merge(&mut self, patch: &Value) -> Result<Value, Fault> {
        if self.is_down {
            return Err(Fault::late());
        }
        let lease = self.lease.as_mut().ok_or(Fault::NotFound)?;
        let bound = patch.pointer(VERSION);
        if bound.is_some() && bound != lease.pointer(VERSION) {
            return Err(Fault::Answer { status: 409, why: String::new() });
        }
        json_patch::merge(lease, patch);
        self.version += 1;
        lease["metadata"]["resourceVersion"] = json!(self.version.to_string());
        Ok(lease.clone())
    }

    fn make(&mut self) -> Result<Value, Fault> {
        self.lease = Some(json!({}));
        let made = self.merge(&json!({ "spec": {} }));
        if self.is_raced { Err(Fault::Answer { status: 409, why: String::new() }) } else { made }
    }
}

impl Played {
    fn kept<T>(&self, with: impl FnOnce(&mut Kept) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn says(&self, pointer: &str) -> Value {
        let found = |kept: &mut Kept| kept.lease.as_ref().and_then(|lease| lease.pointer(pointer).cloned());
        self.kept(found).unwrap_or_default()
    }

    fn holder(&self) -> Value {
        self.says(HOLDER)
    }

    /// Something that somebody writes into it.
    fn write(&self, patch: &Value) {
        assert!(self.kept(|kept| kept.merge(patch)).is_ok());
    }
}

impl Leases for Arc<Played> {
    fn get<'a>(&'a self, _: &'a ObjectRef) -> BoxFuture<'a, Result<Option<Value>, Fault>> {
        async move { self.kept(|kept| if kept.is_down { Err(Fault::late()) } else { Ok(kept.lease.clone()) }) }
            .boxed()
    }

    fn make<'a>(&'a self, _: &'a ObjectRef) -> BoxFuture<'a, Result<Value, Fault>> {
        async move { self.kept(Kept::make) }.boxed()
    }

    fn merge<'a>(&'a self, _: &'a ObjectRef, patch: Value) -> BoxFuture<'a, Result<Value, Fault>> {
        async move { self.kept(|kept| kept.merge(&patch)) }.boxed()
    }
}

fn lease(cluster: &Arc<Played>, identity: &str) -> Lease<Arc<Played>> {
    let place = ObjectRef::in_namespace(&LEASE, "here", "lease");
    Lease::new(Arc::clone(cluster), place, identity.to_owned(), TERMS, || Timestamp::UNIX_EPOCH)
}

/// Waits for a lease, whatever goes wrong meanwhile.
async fn win(lease: &Lease<Arc<Played>>) {
    let Ok(_) = lease.win(|_| -> Result<(), Infallible> { Ok(()) }).await;
}

#[tokio::test(start_paused = true)]
async fn who_is_first_holds_it_and_who_gives_it_back_makes_way() {
    let cluster = Arc::new(Played::default());
    let (first, second) = (lease(&cluster, "first"), lease(&cluster, "second"));
    win(&first).await;
    assert_eq!((cluster.holder(), cluster.says("/spec/leaseTransitions")), (json!("first"), json!(1)));
    assert_eq!(cluster.says("/spec/renewTime"), "1970-01-01T00:00:00.000000Z");
    assert_eq!(cluster.says("/spec/leaseDurationSeconds"), 15);
    let begin = Instant::now();
    let ending = async {
        sleep(Duration::from_secs(3)).await;
        // Another's label makes no difference.
        cluster.write(&json!({ "metadata": { "labels": { "a": "b" } } }));
        first.release().await;
        assert_eq!((cluster.holder(), cluster.says("/spec/renewTime")), (Value::Null, Value::Null));
    };
    tokio::join!(win(&second), ending);
    assert_eq!((cluster.holder(), cluster.says("/spec/leaseTransitions")), (json!("second"), json!(2)));
    assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    first.release().await;
    assert_eq!(cluster.holder(), "second", "nobody gives back what is another's");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_not_renewed_is_taken_after_its_time() {
    let cluster = Arc::new(Played::default());
    win(&lease(&cluster, "first")).await;
    let begin = Instant::now();
    win(&lease(&cluster, "second")).await;
    assert_eq!(cluster.holder(), "second");
    let took = begin.elapsed();
    assert!(took >= TERMS.duration && took < TERMS.duration + TERMS.look * 2, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn anothers_lease_counts_as_long_as_it_says() {
    let cluster = Arc::new(Played::default());
    win(&lease(&cluster, "first")).await;
    cluster.write(&json!({ "spec": { "leaseDurationSeconds": 60 } }));
    let begin = Instant::now();
    win(&lease(&cluster, "second")).await;
    assert!(begin.elapsed() >= Duration::from_mins(1), "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_renewed_is_not_taken() {
    let cluster = Arc::new(Played::default());
    let (first, second) = (lease(&cluster, "first"), lease(&cluster, "second"));
    win(&first).await;
    let ended = tokio::select! {
        () = first.hold() => "it is lost",
        () = win(&second) => "it is taken",
        () = sleep(Duration::from_mins(10)) => "",
    };
    assert_eq!((ended, cluster.holder()), ("", json!("first")));
    let renewed = first.held.lock().await.as_ref().map(|held| held.renewed);
    assert!(renewed.is_some_and(|renewed| renewed.elapsed() < TERMS.deadline), "{renewed:?}");
}

#[tokio::test(start_paused = true)]
async fn who_cannot_renew_stops_before_another_takes_over() {
    let cluster = Arc::new(Played::default());
    let first = lease(&cluster, "first");
    win(&first).await;
    let begin = Instant::now();
    cluster.kept(|kept| kept.is_down = true);
    first.hold().await;
    assert_eq!(begin.elapsed().as_secs(), TERMS.deadline.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_passes_in_time_is_not_a_loss() {
    let cluster = Arc::new(Played::default());
    let first = lease(&cluster, "first");
    win(&first).await;
    let ups_and_downs = async {
        for _ in 0..10 {
            cluster.kept(|kept| kept.is_down = true);
            sleep(Duration::from_secs(3)).await;
            cluster.kept(|kept| kept.is_down = false);
            sleep(Duration::from_secs(5)).await;
        }
    };
    let held = tokio::select! {
        () = first.hold() => false,
        () = ups_and_downs => true,
    };
    assert!(held);
}

#[tokio::test(start_paused = true)]
async fn anothers_label_is_no_loss_and_another_holder_is() {
    let cluster = Arc::new(Played::default());
    let first = lease(&cluster, "first");
    win(&first).await;
    cluster.write(&json!({ "metadata": { "labels": { "a": "b" } } }));
    let renewed = timeout(TERMS.renewal * 3, first.hold()).await;
    assert!(renewed.is_err(), "it is lost");
    cluster.write(&json!({ "spec": { "holderIdentity": "second" } }));
    let begin = Instant::now();
    first.hold().await;
    assert_eq!(begin.elapsed().as_secs(), TERMS.renewal.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_gone_is_lost_and_none_is_made_to_give_it_back() {
    let cluster = Arc::new(Played::default());
    let first = lease(&cluster, "first");
    win(&first).await;
    cluster.kept(|kept| kept.lease = None);
    first.hold().await;
    first.release().await;
    assert_eq!(cluster.kept(|kept| kept.lease.clone()), None);
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_somebody_else_makes_meanwhile_is_looked_at_again() {
    let cluster = Arc::new(Played::default());
    cluster.kept(|kept| kept.is_raced = true);
    win(&lease(&cluster, "first")).await;
    assert_eq!(cluster.holder(), "first");
}

#[tokio::test(start_paused = true)]
async fn looks_tell_who_holds_it_and_what_is_wrong() {
    let cluster = Arc::new(Played::default());
    win(&lease(&cluster, "first")).await;
    let second = lease(&cluster, "second");
    let mut told = Vec::new();
    let looked = |look: Result<String, Fault>| {
        told.push(look.clone().unwrap_or_default());
        // From the second look on, nobody answers.
        cluster.kept(|kept| kept.is_down = true);
        look.map(drop)
    };
    assert_eq!(second.win(looked).await, Err(Fault::late()));
    assert_eq!(told, ["first", ""]);
}
