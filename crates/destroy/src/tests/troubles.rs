//! Resources that go later, or never.

use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_platform::removal::{Holder, Outcome as Answer};

use super::super::removal_state::{RemovalState, Stand};
use super::super::{Outcome, Pace, Pauses};
use super::played::{
    BALANCER, Cloud, GROUP, INSTANCE, Item, NETWORK, destroyed, failed, held, paused, refusal, stopped,
};
use super::{cluster, pace};

fn strings(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

fn holder(what: &str) -> Holder {
    Holder { what: what.to_owned(), own: false }
}

#[test]
fn what_never_goes_is_named_with_what_holds_it_and_what_waits_for_it_is_not() {
    let mut network = Item::new("vpc", &NETWORK).always(held("it has dependencies"));
    network.holders = vec![vec![holder("interface eni-1 of function report")]];
    let options = Item::new("dopt", &GROUP).after(&strings(&["vpc"]));
    let cloud = Cloud::new(vec![network, options, Item::new("i", &INSTANCE)]);
    let seen = destroyed(&cloud, Pace { timeout: Duration::from_mins(3), ..pace() });
    let named: Vec<_> = seen.lines.iter().filter(|(_, line)| line.starts_with("network vpc ")).collect();
    assert_eq!(named.len(), 1, "{:?}", seen.lines);
    for (since, line) in named {
        assert!(*since <= Duration::from_secs(30), "{since:?}");
        for word in ["network vpc", "it has dependencies", "eni-1 of function report", "empty it"] {
            assert!(line.contains(word), "{line}");
        }
    }
    assert_eq!(seen.outcome(), Some(Outcome::TimedOut));
    assert_eq!(seen.removed(), ["i"]);
    let left = seen.left();
    let of = |id: &str| left.iter().find(|(left, _)| left == id).map(|(_, why)| why.as_str());
    assert_eq!((left.len(), of("vpc")), (2, Some("it has dependencies")));
    assert!(of("dopt").is_some_and(|why| why.ends_with(" network vpc")), "{left:?}");
    landfall_testing::assert_sentences("destroy-waits", left);
    assert_eq!(seen.codes(), ["LF1304"]);
    let holders: Vec<usize> =
        seen.report.iter().flat_map(|report| &report.left).map(|left| left.holders.len()).collect();
    assert_eq!(holders, [1, 0]);
    let blocked = seen.states.last().map(|state| state.blocked.len());
    assert_eq!(blocked, Some(1));
    // It was tried more and more seldom.
    assert!(cloud.removals().len() <= 18, "{} calls", cloud.removals().len());
}

#[test]
fn a_thing_is_reported_again_when_something_else_holds_it() {
    let mut group = Item::new("sg", &GROUP).always(held("it is in use"));
    group.holders = vec![vec![holder("eni-1")], vec![holder("eni-1")], vec![holder("eni-2")]];
    let cloud = Cloud::new(vec![group]);
    let seen = destroyed(&cloud, Pace { timeout: Duration::from_mins(15), ..pace() });
    let told: Vec<bool> = seen.lines.iter().map(|(_, line)| line.contains("eni-2")).collect();
    assert_eq!(told, [false, true], "{:?}", seen.lines);
}

/// A subnet was said to be gone, and is not: it holds the network.
#[test]
fn what_was_wrongly_said_to_be_gone_is_removed_again_once_it_holds_something() {
    let subnet = |id: &str| {
        let mut subnet = Item::new(id, &GROUP);
        subnet.answers = [Answer::Gone].into();
        subnet
    };
    let ids = strings(&["subnet-1", "subnet-2"]);
    let mut items: Vec<Item> = ids.iter().map(|id| subnet(id)).collect();
    items.push(Item::new("vpc", &NETWORK).after(&ids));
    let cloud = Cloud::new(items);
    let seen = destroyed(&cloud, pace());
    assert_eq!((seen.outcome(), seen.is_empty), (Some(Outcome::Gone), true));
    assert!(seen.took < Duration::from_mins(1), "{:?}", seen.took);
}

#[test]
fn each_of_many_is_named_in_time_and_with_few_questions() {
    let group = |n: usize| {
        let mut group = Item::new(&format!("sg-{n}"), &GROUP).always(held("it is in use"));
        group.holders = vec![vec![holder(&format!("eni-{n}"))]];
        group
    };
    let slow = |n: usize| {
        let mut balancer = Item::new(&format!("lb-{n}"), &BALANCER);
        balancer.takes = Duration::from_hours(1);
        balancer
    };
    let cloud = Cloud::new((0..40).map(group).chain((0..30).map(slow)).collect());
    let seen = destroyed(&cloud, Pace { timeout: Duration::from_mins(9), ..pace() });
    let is_told = |what: &str| {
        let mut lines = seen.lines.iter();
        lines.any(|(since, line)| *since <= Duration::from_secs(30) && line.contains(what))
    };
    for n in 0..40 {
        assert!(is_told(&format!("security group sg-{n} ")), "{:?}", seen.lines);
        assert!(is_told(&format!(" eni-{n}; {}", GROUP.help)), "{:?}", seen.lines);
    }
    for n in 0..30 {
        assert!(is_told(&format!(", lb-{n}")), "{:?}", seen.lines);
    }
    // The same report is not repeated, and two kinds share a query, at growing intervals.
    assert_eq!(seen.lines.len(), 41, "{:?}", seen.lines);
    assert!(cloud.questions().len() <= 14, "{:?}", cloud.questions());
}

#[test]
fn what_is_refused_is_named_while_the_rest_goes_on() {
    let refused = (0..3).map(|n| Item::new(&format!("sg-{n}"), &GROUP).always(refusal()));
    let mut slow = Item::new("i", &INSTANCE);
    slow.takes = Duration::from_mins(2);
    let cloud = Cloud::new(refused.chain([slow]).collect());
    let seen = destroyed(&cloud, pace());
    let is_named = |line: &str| line.starts_with("security group: 3 ") && line.contains("sg-2");
    let named = seen.lines.iter().filter(|(_, line)| is_named(line)).count();
    assert_eq!((seen.outcome(), named), (Some(Outcome::Refused), 1), "{:?}", seen.lines);
}

#[test]
fn holders_that_could_not_be_asked_for_again_are_not_forgotten() {
    let told = paused(async {
        let (now, after) = (tokio::time::Instant::now(), Duration::from_secs(30));
        let mut board = RemovalState::new(pace().pauses);
        let place = board.add(Item::new("sg", &GROUP).thing);
        board.begin(&[place], now);
        board.tried(place, held("in use"), now);
        let known = vec![holder("eni-1")];
        let first = board.named(&[place], vec![Some(known.clone())], after, now).len();
        let again = board.named(&[place], vec![None], after, now).len();
        (first, again, board.blocked(place, now).map(|blocked| blocked.holders) == Some(known))
    });
    assert_eq!(told, Some((1, 0, true)));
}

#[test]
fn what_is_limited_is_asked_for_more_and_more_seldom() {
    let mut group = Item::new("sg", &GROUP);
    group.answers = (0..5).map(|_| failed("too many requests")).collect();
    let cloud = Cloud::new(vec![group]);
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    let times: Vec<Duration> = cloud.removals().into_iter().map(|(since, _)| since).collect();
    let pauses: Vec<f32> =
        times.windows(2).map(|pair| pair[1].saturating_sub(pair[0] + Cloud::LATENCY).as_secs_f32()).collect();
    assert_eq!(pauses.len(), 5);
    for (pause, most) in pauses.iter().zip([1.0, 2.0, 4.0, 8.0, 16.0]) {
        assert!(*pause >= most * 0.74 && *pause <= most + 0.01, "{pauses:?}");
    }
}

#[test]
fn a_dependency_that_appears_late_is_found_and_removed() {
    let mut balancer = Item::new("lb", &BALANCER);
    balancer.late = 1;
    let mut network = Item::new("vpc", &NETWORK);
    network.needs = strings(&["lb"]);
    let cloud = Cloud::new(vec![network, balancer]);
    let seen = destroyed(&cloud, pace());
    assert_eq!((seen.outcome(), seen.is_empty), (Some(Outcome::Gone), true));
    assert_eq!(seen.removed(), ["lb", "vpc"]);
    assert!(seen.took < Duration::from_mins(1), "{:?}", seen.took);
    assert!(seen.lines.iter().any(|(_, line)| line.starts_with("found 1 more")), "{:?}", seen.lines);
}

#[test]
fn what_was_held_is_tried_soon_after_something_else_has_gone() {
    let soon = paused(async {
        let pauses = Pauses { first: Duration::from_secs(1), longest: Duration::from_mins(30) };
        let mut board = RemovalState::new(pauses);
        let now = tokio::time::Instant::now();
        let (waits, fails) =
            (board.add(Item::new("a", &GROUP).thing), board.add(Item::new("b", &GROUP).thing));
        board.reorder(now);
        for _ in 0..8 {
            board.tried(waits, held("in use"), now);
            board.tried(fails, failed("too many requests"), now);
        }
        let again = |board: &RemovalState| {
            [waits, fails].map(|place| match board.nodes[place].stand {
                Stand::Held { again, .. } => (again - now).as_secs(),
                _ => 0,
            })
        };
        let before = again(&board);
        board.hurry(now + Duration::from_secs(10));
        (before, again(&board))
    });
    let (before, after) = soon.unwrap_or_default();
    assert!(before.iter().all(|pause| (95..=128).contains(pause)), "{before:?}");
    // A quarter of the pause that would be next; what the cloud limited is left alone.
    assert!((47..=64).contains(&after[0]), "{after:?}");
    assert_eq!(after[1], before[1]);
}

#[test]
fn what_is_refused_is_not_tried_again_and_all_else_goes() {
    let refused = Item::new("sg", &GROUP).always(refusal());
    let network = Item::new("vpc", &NETWORK).after(&strings(&["sg"]));
    let options = Item::new("dopt", &BALANCER).after(&strings(&["vpc"]));
    let cloud = Cloud::new(vec![refused, network, options, Item::new("i", &INSTANCE)]);
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Refused));
    assert_eq!(seen.removed(), ["i"]);
    let why: Vec<String> = seen.left().into_iter().skip(1).map(|(_, why)| why).collect();
    assert!(why.len() == 2 && why.iter().all(|why| why.ends_with(" security group sg")), "{why:?}");
    assert_eq!(seen.codes(), ["LF1302", "LF1305"]);
    let tries = cloud.removals().into_iter().filter(|(_, ids)| ids.contains(&"sg".to_owned())).count();
    assert_eq!(tries, 1);
    assert!(seen.took < Duration::from_secs(1), "{:?}", seen.took);
}

#[test]
fn things_that_wait_for_each_other_are_tried() {
    let ring = |id: &str, other: &str| {
        let mut item = Item::new(id, &GROUP).after(&strings(&[other]));
        item.needs.clear();
        item
    };
    let last = Item::new("vpc", &NETWORK).after(&strings(&["a", "b", "c"]));
    let cloud = Cloud::new(vec![last, ring("a", "b"), ring("b", "c"), ring("c", "a"), ring("d", "d")]);
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.outcome(), Some(Outcome::Gone));
    assert_eq!(seen.removed().len(), 5);
    let removals = cloud.removals();
    assert_eq!(removals.last().map(|(_, ids)| ids.as_slice()), Some(&["vpc".to_owned()][..]));
}

#[test]
fn a_call_that_breaks_off_or_says_nothing_is_made_again() {
    let cloud = Cloud::new(cluster(3, 2));
    {
        let mut sky = cloud.sky();
        (sky.breaks, sky.mute) = (2, 2);
    }
    let seen = destroyed(&cloud, pace());
    assert_eq!((seen.outcome(), seen.is_empty), (Some(Outcome::Gone), true));
    assert_eq!(seen.removed().len(), 6);
}

#[test]
fn nothing_new_begins_when_the_time_is_over() {
    let mut hangs = Item::new("i", &INSTANCE);
    hangs.hangs = true;
    let cloud = Cloud::new(vec![hangs, Item::new("sg", &GROUP).after(&strings(&["i"]))]);
    let timeout = Duration::from_mins(1);
    let seen = destroyed(&cloud, Pace { timeout, ..pace() });
    assert_eq!(seen.outcome(), Some(Outcome::TimedOut));
    let grace = seen.took.saturating_sub(timeout);
    assert!(grace <= Duration::from_millis(5010) && grace >= Duration::from_millis(4990), "{grace:?}");
    assert_eq!(seen.codes(), ["LF1304"]);
    let left = [("i", "the call to remove it has not ended"), ("sg", "waits for instance i")];
    assert_eq!(seen.left(), left.map(|(id, why)| (id.to_owned(), why.to_owned())));
    assert_eq!(cloud.removals().len(), 1);
}

#[test]
fn who_stops_a_run_hears_what_is_left() {
    let cloud = Cloud::new(cluster(2, 1));
    let seen = stopped(&cloud, pace(), Some(Duration::from_millis(40)));
    // What was under way when the wish came has ended, and counts.
    assert_eq!((seen.outcome(), seen.removed()), (Some(Outcome::Interrupted), strings(&["i-0", "i-1"])));
    let left = [("vpc", "waits for security group sg-0"), ("sg-0", "it was not tried yet")];
    assert_eq!(seen.left(), left.map(|(id, why)| (id.to_owned(), why.to_owned())));
    assert!(seen.codes().is_empty());
    assert!(seen.took < Duration::from_millis(200), "{:?}", seen.took);
}

#[test]
fn refusals_are_reported_once() {
    let items = (0..3).map(|n| Item::new(&format!("sg-{n}"), &GROUP).always(refusal()));
    let cloud = Cloud::new(items.collect());
    let seen = destroyed(&cloud, pace());
    assert_eq!(seen.codes(), ["LF1302", "LF1305"]);
    let told = seen.lines.iter().filter(|(_, line)| line.starts_with("refused: ")).count();
    assert_eq!((told, seen.left().len()), (1, 3));
    assert!(seen.report.is_some_and(|report| report.findings.iter().all(Finding::is_error)));
}
