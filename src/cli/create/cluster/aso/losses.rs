//! The question before objects are created, with what the plan no longer has and Azure deletes.

use landfall_engine_aso::core::PLAN_LIMIT;
use landfall_engine_aso::desired::Need;
use landfall_engine_aso::detect::Report;
use landfall_engine_aso::drive::Ground;
use landfall_engine_aso::kinds::Kind;
use landfall_net::stop::Stop;

use super::super::steps::NOTHING;
use super::super::{Going, Job};
use super::Ready;
use crate::cli::aso::management::{Management, Shown, judged, stopping};
use crate::cli::engine;
use crate::prepare::Prepared;
use crate::ui::counted;

/// What precedes the list.
const LOST: &str = "these objects are no longer in the plan; Azure deletes their resources:";

impl Job<'_> {
    /// Asks whether the cluster may be created as planned, unless that was said before. What Azure loses by it is listed
    /// in any case.
    pub(super) fn consented(
        &self,
        management: &Management,
        ready: &Ready,
        known: (&[&'static Kind], &Report),
        prepared: &Prepared,
    ) -> Going<()> {
        let printer = &self.settings.printer;
        let losses = self.losses(management, ready, known)?;
        if !losses.is_empty() {
            printer.talk(LOST);
            for id in &losses {
                printer.talk(&format!("  {}/{}", id.kind, id.name));
            }
        }
        if self.args.yes {
            return Ok(());
        }
        let Ground { infra_id, namespace } = &ready.ground;
        let count = counted(ready.translation.objects.len(), "object");
        let lost = match losses.len() {
            0 => String::new(),
            lost => format!(", and delete {} from Azure", counted(lost, "resource")),
        };
        let place = self.whereabouts(prepared);
        let question = format!("Create {infra_id} as {count} in namespace {namespace}, {place}{lost}?");
        engine::consent(&question, Some(NOTHING), self.settings)
    }

    fn losses(
        &self,
        management: &Management,
        ready: &Ready,
        (kinds, known): (&[&'static Kind], &Report),
    ) -> Going<Vec<Need>> {
        let (shown, stop) = (Shown::new(self.settings, PLAN_LIMIT), Stop::default());
        let place = management.place(kinds, &ready.ground, &shown, &stop);
        let found = self.runtime.block_on(async {
            let feed = management.feed(kinds, known, &ready.ground);
            let look = place.losses(feed, ready.translation.clone(), self.stage());
            shown.during(stopping(&stop, look)).await
        });
        found.map_err(|ended| judged(&ended, &ready.ground).into())
    }
}
