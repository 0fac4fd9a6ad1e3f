//! The question before objects are created, with what the plan no longer has and Azure deletes.

use landfall_engine_aso::core::PLAN_LIMIT;
use landfall_engine_aso::desired::Need;
use landfall_engine_aso::detect::Report;
use landfall_engine_aso::drive::{Ground, Place};
use landfall_engine_aso::kinds::Kind;
use landfall_net::stop::Stop;

use super::super::{Ended, Going, Job};
use super::{Ready, refused};
use crate::cli::aso::management::{Management, Shown, identity, judged, limits, stopping};
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
    ) -> anyhow::Result<Going<()>> {
        let printer = &self.settings.printer;
        let losses = match self.losses(management, ready, known)? {
            Ok(losses) => losses,
            Err(ended) => return Ok(Err(ended)),
        };
        if !losses.is_empty() {
            printer.talk(LOST);
            for id in &losses {
                printer.talk(&format!("  {}/{}", id.kind, id.name));
            }
        }
        if self.args.yes {
            return Ok(Ok(()));
        }
        let Ground { infra_id, namespace } = &ready.ground;
        let count = counted(ready.translation.objects.len(), "object");
        let lost = match losses.len() {
            0 => String::new(),
            lost => format!(", and delete {} from Azure", counted(lost, "resource")),
        };
        let place = self.whereabouts(prepared);
        let question = format!("Create {infra_id} as {count} in namespace {namespace}, {place}{lost}?");
        Ok(match engine::consent(&question, self.settings)? {
            None => Ok(()),
            Some(exit) => {
                printer.talk("nothing was created; the files are written");
                Err(Ended::Said(exit))
            }
        })
    }

    fn losses(
        &self,
        management: &Management,
        ready: &Ready,
        (kinds, known): (&[&'static Kind], &Report),
    ) -> anyhow::Result<Going<Vec<Need>>> {
        let (shown, stop) = (Shown::new(self.settings, PLAN_LIMIT), Stop::default());
        let place = Place {
            api: &management.live,
            kinds,
            ground: &ready.ground,
            identity: identity(),
            limits: limits(PLAN_LIMIT),
            watcher: &shown,
            stop: &stop,
        };
        let found = self.runtime.block_on(async {
            let feed = management.feed(kinds, known, &ready.ground);
            let look = place.losses(feed, ready.translation.clone(), self.stage());
            shown.during(stopping(&stop, look)).await
        });
        match found {
            Ok(losses) => Ok(Ok(losses)),
            Err(ended) => {
                let (findings, exit) = judged(&ended, &ready.ground);
                Ok(Err(Ended::Said(refused(&findings, exit, self.settings)?)))
            }
        }
    }
}
