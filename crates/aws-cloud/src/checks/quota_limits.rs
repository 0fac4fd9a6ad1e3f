//! How much of everything the account may have, as Service Quotas says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::join_all;
use landfall_model::aws::catalogue::Quota;
use landfall_platform::cloud::{Asked, Verdict};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::endpoints::{self, Service};
use crate::gather::REGION;
use crate::session::Session;

/// A quota as the account has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    /// What the service calls it.
    pub(super) name: String,
    /// How much the account may have.
    pub(super) value: f64,
}

/// The quotas of one service, by code.
type OfService = BTreeMap<String, Limit>;

/// The account's quotas, asked for once.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    by_service: OnceCell<BTreeMap<String, Asked<OfService>>>,
    wanted: AtomicBool,
}

impl Limits {
    /// Says that quotas will be looked at.
    pub(super) fn want(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }

    /// Why the quotas of a service are not known, if that has turned out.
    pub(super) fn lost(&self, service: &str) -> Option<&Verdict> {
        self.by_service.get()?.get(service)?.as_ref().err()
    }
}

/// Asks for the quotas if they will be looked at, so that it is known which checks of them there are. A service
/// that takes its time must not keep a run from its facts: the checks themselves wait for it longer.
pub(crate) async fn look_ahead(session: &Session<'_>) {
    if session.limits.wanted.load(Ordering::Relaxed) {
        let _ = timeout(session.asking.patience.call / 4, all(session)).await;
    }
}

/// The account's quota; none where the service does not list it.
pub(super) async fn limit(session: &Session<'_>, quota: &Quota) -> Asked<Option<Limit>> {
    match all(session).await.get(&quota.service) {
        Some(Ok(limits)) => Ok(limits.get(&quota.code).cloned()),
        Some(Err(why)) => Err(why.clone()),
        None => Ok(None),
    }
}

/// The quotas of every service that the catalogue has quotas of.
async fn all<'s>(session: &'s Session<'_>) -> &'s BTreeMap<String, Asked<OfService>> {
    session.limits.by_service.get_or_init(|| Box::pin(ask(session))).await
}

async fn ask(session: &Session<'_>) -> BTreeMap<String, Asked<OfService>> {
    let quotas = session.asking.catalogue.aws.quotas.values();
    let services: BTreeSet<String> = quotas.map(|quota| quota.service.clone()).collect();
    let answers = match ready(session).await {
        Ok(()) => {
            let mut calls = Vec::new();
            for service in &services {
                calls.push(of_service(session, service));
            }
            join_all(calls).await
        }
        Err(why) => services.iter().map(|_| Err(why.clone())).collect(),
    };
    services.into_iter().zip(answers).collect()
}

/// Whether there is anybody to ask. In a secret partition only an endpoint of the config, or a word of the
/// catalogue, says that there is.
async fn ready(session: &Session<'_>) -> Result<(), Verdict> {
    let region = session.region();
    let given = endpoints::custom(session.platform, Service::Quotas.name()).is_some();
    if !given && !session.asking.catalogue.aws.has_quotas(region) {
        let why = format!("{region} has no known Service Quotas endpoint, and the config sets none");
        return Err(Verdict::Skipped(why));
    }
    // Where nobody is known, not even the endpoint is looked at.
    session.caller().await?;
    session.quotas().await?;
    Ok(())
}

async fn of_service(session: &Session<'_>, service: &str) -> Asked<OfService> {
    const CALL: &str = "servicequotas:ListServiceQuotas";
    let client = session.quotas().await?;
    let request = client.list_service_quotas().service_code(service);
    let found = session.asked(CALL, REGION, request.into_paginator().items().send().try_collect()).await?;
    let limit = found.iter().filter_map(|quota| {
        let name = quota.quota_name().unwrap_or_default().to_owned();
        Some((quota.quota_code()?.to_owned(), Limit { name, value: quota.value()? }))
    });
    Ok(limit.collect())
}
