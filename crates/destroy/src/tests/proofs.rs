//! The end of a run: when it is proven that nothing is left.

use std::time::Duration;

use landfall_platform::removal::Disposition;
use tokio::time::Instant;

use super::super::proof::Look;
use super::super::removal_state::RemovalState;
use super::super::{Outcome, Pace, pages};
use super::pace;
use super::played::{BALANCER, Cloud, GROUP, INSTANCE, Item, NETWORK, destroyed, paused, refusal};

#[test]
fn what_is_still_listed_is_removed_again_after_a_pause() {
    let mut group = Item::new("sg", &GROUP);
    group.lag = 1;
    let cloud = Cloud::new(vec![group, Item::new("i", &INSTANCE)]);
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    let times: Vec<Duration> = cloud.removals().into_iter().map(|(since, _)| since).collect();
    assert_eq!(times.len(), 3);
    assert!(times.last().is_some_and(|last| *last > Duration::from_millis(700)), "{times:?}");
    assert_eq!(cloud.discoveries(), 3);
    assert_eq!(seen.removed().len(), 2);
}

#[test]
fn what_is_listed_for_long_counts_as_gone_if_a_look_at_it_says_so() {
    let mut items = vec![Item::new("sg", &GROUP), Item::new("vpc", &NETWORK).shared()];
    for item in &mut items {
        item.lag = usize::MAX;
    }
    let cloud = Cloud::new(items);
    let seen = destroyed(&cloud, pace());
    assert_eq!((seen.outcome(), seen.is_empty), (Some(Outcome::Gone), true));
    // Each twice, and then a look at each; three looks at everything.
    assert_eq!((cloud.removals().len(), cloud.looks().len(), cloud.discoveries()), (4, 2, 3));
    assert!(seen.took >= Duration::from_millis(1400), "{:?}", seen.took);
}

#[test]
fn what_comes_back_does_not_count_as_gone_while_a_look_at_it_finds_it() {
    let mut group = Item::new("sg", &GROUP);
    (group.lag, group.tells) = (usize::MAX, false);
    let cloud = Cloud::new(vec![group]);
    let seen = destroyed(&cloud, Pace { timeout: Duration::from_mins(10), ..pace() });
    assert_eq!(seen.outcome(), Some(Outcome::TimedOut));
    assert_eq!(seen.left().len() + seen.removed().len(), 1);
    assert_eq!(seen.codes(), ["LF1304"]);
    assert!(cloud.removals().len() < 80, "{} calls", cloud.removals().len());
}

#[test]
fn what_is_new_in_the_last_look_is_removed() {
    let mut balancer = Item::new("lb", &BALANCER);
    balancer.late = 1;
    let cloud = Cloud::new(vec![Item::new("i", &INSTANCE), balancer]);
    let seen = destroyed(&cloud, pace());
    assert_eq!((seen.outcome(), seen.is_empty), (Some(Outcome::Gone), true));
    assert_eq!(seen.removed(), ["i", "lb"]);
    assert_eq!(cloud.discoveries(), 3);
}

#[test]
fn what_could_not_be_looked_at_proves_nothing() {
    let cloud = Cloud::new(vec![Item::new("i", &INSTANCE)]);
    cloud.sky().unseen = [vec![pages::no_account("denied")]].into();
    let seen = destroyed(&cloud, pace());
    assert_eq!((seen.outcome(), seen.is_empty), (Some(Outcome::Left), true));
    assert_eq!(seen.left().len(), 0);
    assert_eq!(seen.codes(), ["LF1303", "LF1302"]);
    // It may have been a moment's trouble: it was looked three times, with pauses between.
    assert_eq!(cloud.discoveries(), 4);
    assert!(seen.took > Duration::from_secs(2), "{:?}", seen.took);
}

#[test]
fn what_may_be_the_clusters_is_named_and_stays() {
    let cloud = Cloud::new(vec![Item::new("i", &INSTANCE)]);
    let doubt = pages::broken_off();
    cloud.sky().unproven = [vec![doubt.clone()], vec![doubt], Vec::new()].into();
    let seen = destroyed(&cloud, pace());
    assert_eq!((seen.outcome(), seen.is_empty), (Some(Outcome::Left), true));
    assert_eq!(seen.codes(), ["LF1306"]);
}

#[test]
fn a_look_that_fails_for_a_moment_is_made_again() {
    let cloud = Cloud::new(vec![Item::new("i", &INSTANCE)]);
    let denied = || vec![pages::no_account("no answer")];
    cloud.sky().unseen = [denied(), denied(), Vec::new()].into();
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    assert!(seen.codes().is_empty());
    assert_eq!(cloud.discoveries(), 3);
}

#[test]
fn what_is_gone_already_is_proven_with_one_look() {
    let cloud = Cloud::new(Vec::new());
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    assert_eq!((cloud.removals().len(), cloud.discoveries()), (0, 2));
}

#[test]
fn what_others_removed_after_all_is_not_left() {
    let mut group = Item::new("sg", &GROUP);
    group.answers = [refusal()].into();
    group.others = true;
    let network = Item::new("vpc", &NETWORK).after(&["sg".to_owned()]);
    let cloud = Cloud::new(vec![network, group]);
    let seen = destroyed(&cloud, pace());
    assert_eq!((seen.outcome(), seen.is_empty), (Some(Outcome::Gone), true));
    assert_eq!(seen.removed(), ["sg", "vpc"]);
    assert!(seen.codes().is_empty());
}

#[test]
fn what_is_owned_after_it_was_only_shared_begins_anew() {
    let fates = paused(async {
        let mut board = RemovalState::new(pace().pauses);
        let now = Instant::now();
        let look = Look { proof: true, complete: true, before: 0, begun: now };
        let thing = Item::new("vpc", &NETWORK).thing;
        let shared = Item::new("vpc", &NETWORK).shared().thing;
        board.found(vec![shared.clone(), shared], look, now);
        board.went(0, now);
        let news = board.found(vec![thing], look, now);
        (news, board.nodes.len(), board.nodes[0].thing.fate == Disposition::Removed, board.nodes[0].said_gone)
    });
    assert_eq!(fates, Some((1, 1, true, 0)));
}
