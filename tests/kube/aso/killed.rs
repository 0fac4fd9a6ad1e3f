//! The engine is killed after every single write, once before and once after it heard of it, and begun again:
//! what comes of it is what comes of a run without a break.

use std::path::Path;

use super::counted::Counted;
use super::management::{Management, place_of};
use super::site::{GONE, NONE_LEFT, Run, Site, config};
use super::stands::{PRIVATE, brought, end_lease, like_example, policy, settings};
use super::table::Azure;
use super::until::until;

/// More writes than it takes.
const ENOUGH: usize = 200;

/// Begins the work again and again, with one more write each time, until it is done. Gives how often it was
/// killed.
fn killed_at_every_step(
    management: &Management,
    counted: &Counted,
    begin: &dyn Fn(&Path) -> Run,
    is_done: &dyn Fn(&mut Run) -> bool,
) -> usize {
    for kills in 0..ENOUGH {
        end_lease(management, PRIVATE);
        counted.allow(1, kills % 2 == 1);
        let mut run = begin(&counted.kubeconfig);
        until("it is killed, or done", || {
            (counted.has_ended() || is_done(&mut run) || !run.runs()).then_some(())
        });
        if !counted.has_ended() {
            assert!(is_done(&mut run), "{}", run.said());
            return kills;
        }
    }
    panic!("it does not come to an end");
}

#[test]
#[ignore = "needs an API server"]
fn a_cluster_comes_to_be_and_goes_however_often_the_engine_is_killed() {
    let azure = Azure::empty();
    brought(&azure, &[(&format!("kubernetes.io_cluster.{PRIVATE}"), "owned")]);
    let management = Management::defined(&azure);
    management.deploy(&settings());
    let management = management.played(&[]);
    let site = Site::new(PRIVATE, &config("byo-private", |_| {}));
    let folder = tempfile::tempdir().unwrap();
    let counted = Counted::before(&management.server, folder.path());

    let begin = |kubeconfig: &Path| site.start_creating(kubeconfig);
    let kills = killed_at_every_step(&management, &counted, &begin, &|run| !run.runs());
    // Namespace, anchor, Secret, a probe for every object, and an adoption for most.
    let objects = management.objects(PRIVATE).len();
    assert!(kills > objects + 3, "{kills} kills for {objects} objects");
    // The group's tag makes it the cluster's own.
    let group = management.get(&place_of(PRIVATE, "ResourceGroup", "corp-gov1-rg"));
    assert_eq!(group.as_ref().map(policy), Some("manage"));
    let ids = azure.ids();

    // The same once more, without a break, changes nothing.
    let before = management.versions(PRIVATE);
    end_lease(&management, PRIVATE);
    site.create(&management.server.kubeconfig()).ends(0);
    assert_eq!((management.versions(PRIVATE), azure.ids()), (before, ids));

    let begin = |kubeconfig: &Path| site.start_destroying(kubeconfig);
    let is_gone = |run: &mut Run| [GONE, NONE_LEFT].iter().any(|words| run.said().contains(words));
    let kills = killed_at_every_step(&management, &counted, &begin, &is_gone);
    assert!(kills > 0);
    let left = azure.ids();
    assert!(
        !left.is_empty() && left.iter().all(|id| id.starts_with("/resourcegroups/corp-net-rg")),
        "{left:?}"
    );
    assert!(management.objects(PRIVATE).is_empty());
    assert_eq!(management.anchor(PRIVATE), None);
}

#[test]
#[ignore = "needs an API server"]
fn a_second_engine_learns_who_holds_the_lease() {
    let azure = Azure::empty();
    brought(&azure, &[]);
    let management = Management::defined(&azure);
    management.deploy(&settings());
    let management = management.played(&[]);
    let folder = tempfile::tempdir().unwrap();
    let counted = Counted::before(&management.server, folder.path());
    let site = Site::new(PRIVATE, &config("byo-private", |_| {}));
    // Namespace, anchor, Secret and the first objects.
    counted.allow(6, false);
    let mut first = site.start_creating(&counted.kubeconfig);
    until("the first one is stopped", || (counted.has_ended() || !first.runs()).then_some(()));
    assert!(first.runs(), "{}", first.said());

    let other = Site::new(PRIVATE, &config("byo-private", |_| {}));
    let mut second = other.start_creating(&management.server.kubeconfig());
    second.says("is working on this cluster");
    second.interrupt();
    second.end().ends(130);
    first.kill();
    end_lease(&management, PRIVATE);
    other.create(&management.server.kubeconfig()).ends(0);
    like_example(&management, PRIVATE, "byo-private");
}
