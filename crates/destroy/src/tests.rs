//! The engine with a cloud that is played: what goes when, and with how many calls.

mod played;
mod proofs;
mod random;
mod troubles;

use landfall_platform::removal::Target;

use super::*;
use played::{Cloud, GROUP, INSTANCE, Item, NETWORK, ROLE, destroyed, paused};

fn ids(things: &[Resource]) -> Vec<&str> {
    things.iter().map(|thing| thing.id.as_str()).collect()
}

fn pace() -> Pace {
    let pauses = Pauses { first: Duration::from_secs(1), longest: Duration::from_secs(30) };
    Pace { pauses, ..Pace::default() }
}

/// A network with groups in it, and instances that use them.
fn cluster(instances: usize, groups: usize) -> Vec<Item> {
    let instance_ids: Vec<String> = (0..instances).map(|n| format!("i-{n}")).collect();
    let group_ids: Vec<String> = (0..groups).map(|n| format!("sg-{n}")).collect();
    let mut items = vec![Item::new("vpc", &NETWORK).after(&group_ids)];
    items.extend(group_ids.iter().map(|id| Item::new(id, &GROUP).after(&instance_ids)));
    items.extend(instance_ids.iter().map(|id| Item::new(id, &INSTANCE)));
    items
}

#[test]
fn a_thing_goes_when_what_it_waits_for_has_gone() {
    let cloud = Cloud::new(cluster(3, 2));
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    assert_eq!(seen.left(), Vec::<(String, String)>::new());
    let calls: Vec<Vec<String>> = cloud.removals().into_iter().map(|(_, ids)| ids).collect();
    assert_eq!(calls, [vec!["i-0", "i-1", "i-2"], vec!["sg-0"], vec!["sg-1"], vec!["vpc"]]);
    assert_eq!(seen.removed().last().map(String::as_str), Some("vpc"));
    // The end is proven by one look at everything.
    assert_eq!(cloud.discoveries(), 2);
    assert_eq!(seen.report.map(|report| (report.calls, report.findings.len())), Some((5, 0)));
    // Three calls one after the other, and the proof.
    let least = Cloud::LATENCY * 4;
    assert!(seen.took >= least && seen.took <= least * 3 / 2, "{:?}", seen.took);
}

#[test]
fn waves_say_what_would_go_and_change_nothing() {
    let mut items = cluster(2, 2);
    items.push(Item::new("subnet", &NETWORK).shared());
    let cloud = Cloud::new(items);
    let planned = paused(plan(&cloud, Duration::from_mins(1))).and_then(Result::ok);
    let waves: Option<Vec<Vec<&str>>> =
        planned.as_ref().map(|planned| planned.waves.iter().map(|wave| ids(&wave.things)).collect());
    assert_eq!(waves, Some(vec![vec!["i-0", "i-1"], vec!["sg-0", "sg-1"], vec!["vpc"]]));
    assert_eq!(planned.as_ref().map(|planned| ids(&planned.released)), Some(vec!["subnet"]));
    assert_eq!(planned.map(|planned| planned.account.id), Some("123456789012".to_owned()));
    assert!(cloud.removals().is_empty());
}

#[test]
fn things_of_a_kind_go_together_and_calls_are_few() {
    let cloud = Cloud::new(cluster(300, 40));
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    // Six calls for 300 instances of which 50 go with one, 40 for the groups, one for the network.
    assert_eq!(cloud.removals().len(), 6 + 40 + 1);
    assert_eq!(seen.report.map(|report| report.calls), Some(6 + 40 + 1 + 1));
}

#[test]
fn only_so_many_calls_are_under_way_at_a_time() {
    for parallel in [0, 1, 7] {
        let cloud = Cloud::new(cluster(60, 30));
        let seen = destroyed(&cloud, Pace { parallel, ..pace() });
        assert_eq!(seen.outcome(), Some(Outcome::Gone));
        assert_eq!(cloud.most_at_once(), parallel.max(1));
    }
}

#[test]
fn what_most_waits_for_goes_first() {
    let chain = ["a", "b", "c", "d"].map(str::to_owned);
    let mut items: Vec<Item> = (0..8).map(|n| Item::new(&format!("x-{n}"), &GROUP)).collect();
    for (place, id) in chain.iter().enumerate() {
        items.push(Item::new(id, &GROUP).after(&chain[place.saturating_sub(1)..place]));
    }
    let cloud = Cloud::new(items);
    let seen = destroyed(&cloud, Pace { parallel: 3, ..pace() });
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    // Twelve resources, three at a time: the chain costs nothing more.
    assert!(seen.took <= Cloud::LATENCY * 5 + Duration::from_millis(20), "{:?}", seen.took);
}

#[test]
fn what_is_on_its_way_is_looked_at_more_and_more_seldom_and_all_with_one_call() {
    let takes = Duration::from_mins(2);
    let mut items = cluster(50, 2);
    for item in &mut items {
        item.takes = if item.thing.kind == &INSTANCE { takes } else { Duration::ZERO };
    }
    let cloud = Cloud::new(items);
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    let looks = cloud.looks();
    assert!(looks.iter().all(|(_, ids)| ids.len() == 50), "{looks:?}");
    assert!(looks.len() <= 14, "{} looks", looks.len());
    assert!(seen.took <= takes * 3 / 2, "{:?}", seen.took);
    // All are named, and share a line.
    let named = seen.lines.iter().filter(|(_, line)| line.starts_with("instance: 50 ")).count();
    assert_eq!((named, seen.lines.len()), (1, 1), "{:?}", seen.lines);
}

#[test]
fn traces_of_the_cluster_go_when_nothing_else_is_on_its_way() {
    let mut items = cluster(2, 1);
    for item in items.iter_mut().filter(|item| item.thing.kind == &INSTANCE) {
        item.takes = Duration::from_mins(3);
    }
    items.push(Item::new("role", &ROLE));
    items.push(Item::new("subnet", &NETWORK).shared());
    let cloud = Cloud::new(items);
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    let calls: Vec<Vec<String>> = cloud.removals().into_iter().map(|(_, ids)| ids).collect();
    let place = |id: &str| calls.iter().position(|ids| ids.iter().any(|known| known == id));
    assert!(place("vpc") < place("role") && place("vpc") < place("subnet"), "{calls:?}");
}

/// What never goes keeps the traces for a while and not for ever.
#[test]
fn traces_of_the_cluster_do_not_wait_for_what_never_goes() {
    let network = Item::new("vpc", &NETWORK).always(played::held("it has dependencies"));
    let cloud = Cloud::new(vec![network, Item::new("role", &ROLE)]);
    let seen = destroyed(&cloud, Pace { timeout: Duration::from_mins(3), ..pace() });
    assert_eq!((seen.outcome(), seen.removed()), (Some(Outcome::TimedOut), vec!["role".to_owned()]));
    let at = cloud.removals().into_iter().find(|(_, ids)| ids[0] == "role").map(|(since, _)| since);
    assert!(at.is_some_and(|at| at >= Duration::from_secs(30)), "{at:?}");
}

#[test]
fn what_is_shared_is_released_and_told_apart() {
    let items = vec![Item::new("vpc", &NETWORK).shared(), Item::new("sg", &GROUP)];
    let cloud = Cloud::new(items);
    let seen = destroyed(&cloud, pace());
    let lists = seen.report.as_ref().map(|report| (ids(&report.removed), ids(&report.released)));
    assert_eq!(lists, Some((vec!["sg"], vec!["vpc"])));
    assert!(seen.report.is_some_and(|report| report.is_gone()));
}

#[test]
fn nothing_is_removed_in_another_account() {
    let cloud = Cloud::new(cluster(2, 1));
    let target = Target { account: Some("999999999999".to_owned()), ..Target::default() };
    let report = paused(async {
        let first = cloud.discover().await;
        run(&cloud, &target, first, &pace(), &Unwatched, &Stop::default()).await
    });
    let told = report.map(|report| (report.outcome, report.left.len(), codes(&report.findings)));
    assert_eq!(told, Some((Outcome::Refused, 4, vec!["LF1300"])));
    assert!(cloud.removals().is_empty());
}

#[test]
fn nothing_is_removed_against_an_objection() {
    let cloud = Cloud::new(cluster(1, 1));
    let report = paused(async {
        let first = Discovered { notes: vec![pages::broken_off()], ..cloud.discover().await };
        run(&cloud, &Target::default(), first, &pace(), &Unwatched, &Stop::default()).await
    });
    let told = report.map(|report| (report.outcome, report.left.len(), codes(&report.findings)));
    assert_eq!(told, Some((Outcome::Refused, 3, vec!["LF1306"])));
    assert!(cloud.removals().is_empty());
}

#[test]
fn the_state_tells_what_is_left_by_kind() {
    let cloud = Cloud::new(cluster(3, 2));
    let seen = destroyed(&cloud, pace());
    let counts = |state: &State| -> Vec<(&'static str, usize, usize)> {
        state.kinds.iter().map(|kind| (kind.kind.name, kind.total, kind.gone)).collect()
    };
    let first = seen.states.first().map(counts);
    assert_eq!(first, Some(vec![("network", 1, 0), ("security group", 2, 0), ("instance", 3, 0)]));
    let last = seen.states.last().map(counts);
    assert_eq!(last, Some(vec![("network", 1, 1), ("security group", 2, 2), ("instance", 3, 3)]));
    assert_eq!(seen.states.last().map(|state| state.proving), Some(true));
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code.as_str()).collect()
}
