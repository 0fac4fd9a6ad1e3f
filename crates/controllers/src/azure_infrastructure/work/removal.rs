//! The end of a cluster whose resource was deleted, and what holds it up.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use landfall_engine_aso::drive::{Drive, Others, Work, listed};
use landfall_engine_aso::keys;
use landfall_kube::objects::{ClusterEvent, EventType};

use super::super::status::{PROGRESSING, READY, Said};
use super::super::{anchor, inputs};
use super::Run;
use crate::Failed;

/// The cluster stays although its resource was deleted.
const PROTECTED: &str = "DeletionProtected";
/// The annotation that protects the cluster was removed.
const UNPROTECTED: &str = "ProtectionRemoved";
/// The cluster is deleted, and objects of the user's need it.
pub(super) const IN_USE: &str = "UserResourcesRemain";

impl Run<'_> {
    /// Removes all that was created, and then lets the resource go.
    pub(super) async fn remove(&mut self) -> Result<Option<Duration>, Failed> {
        let objects = &*self.controller.objects;
        if !anchor::has_finalizer(self.resource) {
            self.is_silent = true;
            anchor::release(objects, self.place, self.resource).await?;
            return Ok(None);
        }
        if self.resource.is_paused() {
            self.say(Said::new(PROGRESSING, false, "Paused", "it is removed once the pause ends"));
            return Ok(None);
        }
        let chosen = self.resource.chosen_id().map(str::to_owned);
        // The object belongs to somebody else.
        let own = chosen.filter(|infra_id| self.other_here(infra_id).is_none());
        if own.is_some() && anchor::is_protected(self.resource) {
            return Ok(self.keep().await);
        }
        if let Some(infra_id) = &own {
            let owner = anchor::owner(self.place, self.resource);
            // A credential that was put right meanwhile counts; without one the last has to do, as in a
            // namespace that goes and takes nothing new.
            let given = inputs::credentials(objects, self.namespace, &self.resource.spec).await;
            let credential = given.and_then(|given| given.credential(&self.resource.spec));
            let credential = credential.and_then(|credential| self.in_its_subscription(infra_id, credential));
            if let Ok(credential) = &credential
                && let Ok(true) = inputs::keep_copy(objects, credential, infra_id, &owner).await
            {
                self.memory.driving.pace.forget();
            }
            let takes_others = anchor::takes_others(self.resource);
            let keeps_azure = self.resource.keeps_azure();
            let drive = Drive { takes_others, keeps_azure, ..Drive::new(infra_id, owner, Work::Remove) };
            let cluster = self.cluster(infra_id);
            let stepped = self.step(&cluster, &drive, "removing the cluster").await?;
            if !stepped.step.objects.is_empty() {
                self.say(Said::new(READY, false, "Removing", "the cluster is being removed"));
                self.tell_others(&stepped.others).await;
                return Ok(stepped.rest);
            }
            if let ControlFlow::Break(rest) = self.remove_images(infra_id, credential)? {
                return Ok(rest);
            }
            inputs::remove_copy(objects, self.namespace, infra_id).await?;
            let spec_name = &self.resource.spec.credentials_secret_ref.name;
            let held = &self.resource.status.credentials_secret;
            for name in BTreeSet::from([spec_name, held]) {
                inputs::release(objects, self.namespace, name, infra_id).await?;
            }
        }
        self.is_silent = true;
        anchor::release(objects, self.place, self.resource).await?;
        Ok(None)
    }

    /// Protects the cluster again if its protection was lost when the resource was replaced, and gives whether that
    /// was written. A removal on purpose is reported once as an event.
    pub(super) async fn keep_protection(&mut self) -> Result<bool, Failed> {
        let is_removed = self.status.deletion_protection_added && !anchor::is_protected(self.resource);
        if is_removed && !self.status.deletion_protection_removed {
            if anchor::was_replaced(self.resource) {
                anchor::protect(&*self.controller.objects, self.place, self.resource).await?;
                return Ok(true);
            }
            let annotation = anchor::PROTECTION;
            let note =
                format!("the cluster may be deleted now: the annotation {annotation} is missing or `false`");
            self.warn_once(UNPROTECTED, &note).await;
        }
        self.status.deletion_protection_removed = is_removed;
        Ok(false)
    }

    /// Says that the cluster stays although its resource was deleted, once as an event.
    async fn keep(&mut self) -> Option<Duration> {
        let annotation = anchor::PROTECTION;
        let note =
            format!("the cluster is protected: to delete it, remove the annotation {annotation} as well");
        self.warn_once(PROTECTED, &note).await;
        self.say(Said::new(PROGRESSING, false, PROTECTED, &note));
        None
    }

    /// Says which objects of the user's the removal waits for and which go as well, the former once as an event.
    async fn tell_others(&mut self, others: &Others) {
        if !others.waited_for.is_empty() {
            let note = format!(
                "waiting until their owner deletes {}: they use the cluster's resources; the annotation {} \
                 on an object, or here for all, permits to remove them",
                listed(&others.waited_for),
                keys::DELETE_WITH_CLUSTER
            );
            self.warn_once(IN_USE, &note).await;
            self.say(Said::new(READY, false, IN_USE, &note));
        } else if !others.removed.is_empty() {
            let note = format!("the cluster is being removed, with {}", listed(&others.removed));
            self.say(Said::new(READY, false, "Removing", note));
        }
    }

    /// Reports a warning as an event, unless a condition has its reason already.
    async fn warn_once(&self, reason: &'static str, note: &str) {
        if self.resource.status.conditions.iter().any(|condition| condition.reason == reason) {
            return;
        }
        let (about, note) = (self.place.clone(), note.to_owned());
        let event = ClusterEvent { about, event_type: EventType::Warning, reason, note };
        self.controller.driver.events.report(event).await;
    }
}
