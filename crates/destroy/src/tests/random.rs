//! Whatever a cloud does, a run ends, and its report is complete.

use std::collections::BTreeSet;
use std::time::Duration;

use landfall_platform::removal::{Kind, Outcome as Answer};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::super::{Outcome, Pace};
use super::pace;
use super::played::{BALANCER, Cloud, GROUP, INSTANCE, Item, destroyed, failed, held};

/// What an attempt is answered.
fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        4 => Just(held("something uses it")),
        4 => Just(failed("too many requests")),
        1 => Just(Answer::Going),
    ]
}

fn kind() -> impl Strategy<Value = &'static Kind> {
    prop_oneof![Just(&INSTANCE), Just(&BALANCER), Just(&GROUP)]
}

prop_compose! {
    /// A resource with the numbers of its dependencies.
    fn item()(
        kind in kind(),
        is_shared in any::<bool>(),
        others in vec(0_usize..16, 0..3),
        answers in vec(answer(), 0..4),
        holds in option::weighted(0.1, Just(held("it is locked"))),
        takes in 0_u64..90,
        late in 0_usize..2,
        lag in 0_usize..4,
    ) -> Item {
        let mut item = Item::new("", kind);
        if is_shared {
            item = item.shared();
        }
        item.thing.after = others.iter().map(|other| format!("t-{other}")).collect();
        item.answers = answers.into();
        item.always = holds;
        item.takes = Duration::from_secs(takes);
        (item.late, item.lag) = (late, lag);
        item
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_run_ends_and_every_thing_is_in_one_list(
        items in vec(item(), 0..14),
        breaks in 0_usize..3,
        mute in 0_usize..3,
        parallel in 1_usize..6,
    ) {
        let mut items = items;
        for (place, item) in items.iter_mut().enumerate() {
            item.thing.id = format!("t-{place}");
        }
        let ids: BTreeSet<String> = items.iter().map(|item| item.thing.id.clone()).collect();
        let stays = items.iter().any(|item| item.always.is_some());
        let cloud = Cloud::new(items);
        {
            let mut sky = cloud.sky();
            (sky.breaks, sky.mute) = (breaks, mute);
        }
        let timeout = Duration::from_hours(3);
        let seen = destroyed(&cloud, Pace { parallel, timeout, ..pace() });
        prop_assert!(seen.took <= timeout + Duration::from_secs(6));
        prop_assert!(cloud.most_at_once() <= parallel);
        let outcome = seen.outcome();
        let expected = if stays { Outcome::TimedOut } else { Outcome::Gone };
        prop_assert_eq!(outcome, Some(expected), "left: {:?}", seen.left());
        prop_assert_eq!(seen.is_empty, !stays);
        let report = seen.report.iter();
        let listed: Vec<String> = report
            .flat_map(|report| {
                let left = report.left.iter().map(|left| &left.thing);
                report.removed.iter().chain(&report.released).chain(left)
            })
            .map(|thing| thing.id.clone())
            .collect();
        let once: BTreeSet<String> = listed.iter().cloned().collect();
        prop_assert_eq!(listed.len(), once.len());
        prop_assert!(once.is_subset(&ids));
        prop_assert!(stays || once == ids);
    }
}
