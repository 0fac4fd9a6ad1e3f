//! One run's questions to AWS: who asks, by which clients, and what is already known of the endpoints.
//!
//! A client is given out only when something answers at its endpoint and the credentials are accepted, so
//! that a dead endpoint costs one look at it now and then, and not the patience of every call.

use std::fmt::Debug;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use aws_config::SdkConfig;
use aws_smithy_runtime_api::client::result::SdkError;
use futures::future::join;
use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::{Scrub, Secret};
use landfall_model::aws::config::Platform;
use landfall_model::aws::facts::Caller;
use landfall_net::{ConcurrencyLimit, Proxies, Trust};
use landfall_platform::cloud::{Asked, Asking, Unready, Waiting};
use tokio::sync::OnceCell;

use super::clients::{self, Clients, settings};
use super::credentials::{self, Found};
use super::endpoints::{self, Endpoint, Service};
use super::fault::{Fault, Modelled};
use super::kept::Kept;
use super::opt_in::{self, Abroad};
use super::reach::{self, Reached};
use super::{checks, gather, secrets};

/// Why something that AWS tells is not known.
#[derive(Clone, Debug)]
pub(super) enum Lost {
    /// Nobody asked.
    Unready(Unready),
    /// The call failed.
    Fault(Fault),
}

impl From<Unready> for Lost {
    fn from(unready: Unready) -> Self {
        Self::Unready(unready)
    }
}

impl From<Fault> for Lost {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// What is asked with.
struct Wire {
    trust: Trust,
    proxies: Proxies,
}

/// One run's questions.
pub(super) struct Session<'a> {
    /// What is asked for.
    pub(super) asking: Asking<'a>,
    /// The platform's section of the completed config.
    pub(super) platform: &'a Platform,
    /// The answers that become facts.
    pub(super) answers: gather::Answers,
    /// The account's quotas.
    pub(super) limits: checks::Limits,
    concurrency: ConcurrencyLimit,
    wire: OnceLock<Wire>,
    scrub: Arc<Mutex<Scrub>>,
    sdk: OnceCell<SdkConfig>,
    found: Kept<Found, Box<Finding>>,
    identity: Kept<Caller, Lost>,
    abroad: Kept<Abroad, ()>,
    zone_role: Kept<SdkConfig, Lost>,
    reached: [Kept<Arc<Reached>, Arc<Reached>>; Service::ALL.len()],
    clients: Clients,
}

/// For a config of another platform, of which nobody asks here.
static NONE: LazyLock<Platform> = LazyLock::new(Platform::default);

impl<'a> Session<'a> {
    /// Begins to ask; nothing is called yet.
    pub(super) fn new(asking: Asking<'a>) -> Self {
        let platform = asking.config.platform.aws.as_ref();
        Self {
            asking,
            platform: platform.unwrap_or_else(|| LazyLock::force(&NONE)),
            answers: gather::Answers::default(),
            limits: checks::Limits::default(),
            concurrency: ConcurrencyLimit::new(asking.patience.at_once),
            wire: OnceLock::new(),
            scrub: Arc::default(),
            sdk: OnceCell::new(),
            found: Kept::default(),
            identity: Kept::default(),
            abroad: Kept::default(),
            zone_role: Kept::default(),
            reached: std::array::from_fn(|_| Kept::default()),
            clients: Clients::default(),
        }
    }

    /// The region of the config.
    pub(super) fn region(&self) -> &'a str {
        &self.platform.region
    }
}

impl Session<'_> {
    /// The bound on requests under way.
    pub(super) fn concurrency(&self) -> ConcurrencyLimit {
        self.concurrency.clone()
    }

    /// The trust roots of the run.
    pub(super) fn trust(&self) -> &Trust {
        &self.wire().trust
    }

    /// The proxies of the run.
    pub(super) fn proxies(&self) -> &Proxies {
        &self.wire().proxies
    }

    fn wire(&self) -> &Wire {
        self.wire.get_or_init(|| {
            let proxies = Proxies::gather(|name| self.asking.world.variable(name));
            for secret in proxies.secrets() {
                self.hide(&secret);
            }
            Wire { trust: self.gather_trust(), proxies }
        })
    }

    fn gather_trust(&self) -> Trust {
        let Asking { world, config, .. } = self.asking;
        Trust::of_run(|name| world.variable(name), |path| world.file(path), &config.additional_trust_bundle)
    }

    /// Hides a secret in everything that is said from now on.
    pub(super) fn hide(&self, secret: &Secret<String>) {
        self.scrub.lock().unwrap_or_else(PoisonError::into_inner).hide(secret);
    }

    /// The same, for whoever learns secrets while others ask.
    pub(super) fn hidden(&self) -> Arc<Mutex<Scrub>> {
        Arc::clone(&self.scrub)
    }

    /// What is hidden in everything that is said.
    pub(super) fn scrub(&self) -> Scrub {
        self.scrub.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A call that failed, in words that may be shown.
    pub(super) fn fault<E: Modelled, R: Debug + 'static>(&self, call: &str, error: &SdkError<E, R>) -> Fault {
        Fault::of(call, error, &self.scrub())
    }

    /// What came of a request. What it needs while it waits is large, so it lies on the heap.
    pub(super) fn answer<'s, T, E: Modelled, R: Debug + 'static>(
        &'s self,
        call: &'s str,
        request: impl Future<Output = Result<T, SdkError<E, R>>> + Send + 's,
    ) -> Waiting<'s, Result<T, Fault>> {
        Box::pin(async move { request.await.map_err(|error| self.fault(call, &error)) })
    }

    /// The same, and what is to be said at `field` where the call failed.
    pub(super) async fn asked<T, E: Modelled, R: Debug + 'static>(
        &self,
        call: &str,
        field: &str,
        request: impl Future<Output = Result<T, SdkError<E, R>>> + Send,
    ) -> Asked<T> {
        self.answer(call, request).await.map_err(|fault| fault.verdict(field))
    }

    /// What environment, profile and run say to all clients; without accepted credentials.
    pub(super) async fn sdk(&self) -> &SdkConfig {
        self.sdk.get_or_init(|| Box::pin(clients::shared(self))).await
    }

    /// The credentials, or why there are none.
    pub(super) async fn found(&self) -> Result<&Found, Box<Finding>> {
        let find = || {
            for secret in secrets::known(self.asking.world) {
                self.hide(&secret);
            }
            Box::pin(credentials::find(self))
        };
        self.found.get(find).await
    }

    /// Who asks, or why that is not known.
    pub(super) async fn identity(&self) -> Result<&Caller, Lost> {
        self.identity.get(|| Box::pin(self.identify())).await
    }

    /// Asks STS of the region and, where that may be off, of the partition's global region.
    async fn identify(&self) -> Result<Caller, Lost> {
        let lost = match credentials::identify(self).await {
            Err(Lost::Fault(fault)) => fault,
            known => return known,
        };
        match self.refused_by(Service::Sts, &lost).await {
            Some(abroad) if abroad.is_off() => Ok(abroad.caller.clone()),
            _ => Err(Lost::Fault(lost)),
        }
    }

    /// What the partition's global region says, once a service of the region has refused the credentials as one
    /// does that is off; none where it accepts them no more.
    pub(super) async fn refused_by(&self, service: Service, fault: &Fault) -> Option<&Abroad> {
        let reached = self.reached(service).await;
        if !opt_in::may_be_off(reached.endpoint(self, service).ok(), fault) {
            return None;
        }
        let ask = || Box::pin(async move { opt_in::ask(self).await.ok_or(()) });
        self.abroad.get(ask).await.ok()
    }

    /// What was learned elsewhere of credentials that are refused in the region, if anything was.
    pub(super) fn accepted_abroad(&self) -> Option<&Abroad> {
        self.abroad.known()
    }

    /// Where the account has not enabled the region and the caller is known from elsewhere: what is known.
    pub(super) async fn off(&self) -> Option<&Abroad> {
        self.identity().await.ok()?;
        self.accepted_abroad().filter(|abroad| abroad.is_off())
    }

    /// That there are no credentials, with the reason where no check gives it.
    fn no_credentials(&self, why: &Finding) -> Unready {
        match self.asking.check("aws.credentials") {
            Some(check) => Unready(format!("there are no credentials: see {check}")),
            None => Unready::found("there are no credentials", why),
        }
    }

    /// Nothing in a region that the account has not enabled can be asked.
    async fn enabled(&self) -> Result<(), Unready> {
        match self.off().await {
            Some(_) => {
                let see = self.asking.check(": see aws.region").unwrap_or_default();
                Err(Unready(format!("the region {} is not enabled in the account{see}", self.region())))
            }
            None => Ok(()),
        }
    }

    /// Who asks.
    pub(super) async fn caller(&self) -> Result<&Caller, Unready> {
        self.identity().await.map_err(|lost| match lost {
            Lost::Unready(unready) => unready,
            Lost::Fault(fault) => Unready(match self.asking.check("aws.credentials") {
                Some(check) => format!("the credentials cannot be used: see {check}"),
                None => format!("the credentials cannot be used: {}", fault.sentence()),
            }),
        })
    }

    /// What is to be seen at the endpoint of a service.
    pub(super) async fn reached(&self, service: Service) -> Arc<Reached> {
        let look = || {
            Box::pin(async move {
                let reached = Arc::new(reach::reach(self, service).await);
                if reached.endpoint(self, service).is_ok() { Ok(reached) } else { Err(reached) }
            })
        };
        match self.reached[service as usize].get(look).await {
            Ok(reached) => Arc::clone(reached),
            Err(broken) => broken,
        }
    }

    /// Where a service is called and with what, once something answers there and the caller is known.
    async fn ready(&self, service: Service) -> Result<(Endpoint, &SdkConfig), Unready> {
        let (reached, caller) = join(self.reached(service), self.caller()).await;
        let endpoint = reached.endpoint(self, service)?.clone();
        caller?;
        // What all regions share is signed for another one.
        if endpoint.signing_region == self.region() {
            self.enabled().await?;
        }
        Ok((endpoint, &self.found().await.map_err(|why| self.no_credentials(&why))?.config))
    }

    /// The client of STS; who asks is learned through it, so that nobody needs to be known.
    pub(super) async fn sts(&self) -> Result<&aws_sdk_sts::Client, Unready> {
        let (reached, found) = join(self.reached(Service::Sts), self.found()).await;
        let found = found.map_err(|why| self.no_credentials(&why))?;
        let endpoint = reached.endpoint(self, Service::Sts)?;
        Ok(self.clients.sts.get_or_init(|| {
            aws_sdk_sts::Client::from_conf(settings!(aws_sdk_sts, &found.config, endpoint).build())
        }))
    }

    /// The client of S3. At an endpoint that is given, buckets are folders and not hosts.
    pub(super) async fn s3(&self) -> Result<&aws_sdk_s3::Client, Unready> {
        let (endpoint, shared) = self.ready(Service::S3).await?;
        Ok(self.clients.s3.get_or_init(|| {
            let settings = settings!(aws_sdk_s3, shared, &endpoint);
            aws_sdk_s3::Client::from_conf(settings.force_path_style(endpoint.is_override()).build())
        }))
    }

    /// A client of EC2 in another region of the partition, where the config's endpoint does not count.
    pub(super) async fn ec2_in(&self, region: &str) -> Result<aws_sdk_ec2::Client, Unready> {
        self.caller().await?;
        let shared = &self.found().await.map_err(|why| self.no_credentials(&why))?.config;
        let endpoint = self.reached_in(Service::Ec2, region).await?;
        Ok(clients::ec2_at(shared, &endpoint, region))
    }

    /// The endpoint of a service in another region, if something answers there.
    pub(super) async fn reached_in(&self, service: Service, region: &str) -> Result<Endpoint, Unready> {
        let name = service.name();
        let Ok(Some(endpoint)) = endpoints::endpoint_in(self, service, region).await else {
            return Err(Unready(format!("no endpoint of {name} is known in {region}")));
        };
        match reach::look(self, &endpoint).await.answer {
            Ok(_) => Ok(endpoint),
            Err(broken) => {
                let shown = endpoint.shown();
                Err(Unready(format!("{name} of {region} cannot be reached at {shown}: {}", broken.why)))
            }
        }
    }

    /// The client of Route 53 for the zone that the config names: as the role that it names, if it does.
    pub(super) async fn route53_of_zone(&self) -> Result<aws_sdk_route53::Client, Unready> {
        if self.platform.hosted_zone_role.is_empty() {
            return self.route53().await.cloned();
        }
        let (endpoint, _) = self.ready(Service::Route53).await?;
        let shared = self.zone_role().await.map_err(|lost| match lost {
            Lost::Unready(unready) => unready,
            Lost::Fault(fault) => Unready(match self.asking.check(credentials::ZONE_ROLE) {
                Some(check) => format!("the role of hostedZoneRole cannot be assumed: see {check}"),
                None => format!("the role of hostedZoneRole cannot be assumed: {}", fault.sentence()),
            }),
        })?;
        Ok(aws_sdk_route53::Client::from_conf(settings!(aws_sdk_route53, shared, &endpoint).build()))
    }

    /// The client of Route 53 for the zone that the config names, or for those of the caller's account.
    pub(super) async fn route53_by(&self, by_zone_role: bool) -> Result<aws_sdk_route53::Client, Unready> {
        if by_zone_role { Box::pin(self.route53_of_zone()).await } else { self.route53().await.cloned() }
    }

    /// What all clients share, with the credentials of the role that the config names for its hosted zone.
    pub(super) async fn zone_role(&self) -> Result<&SdkConfig, Lost> {
        let assume = || {
            Box::pin(async move {
                self.enabled().await?;
                credentials::assume_zone_role(self).await
            })
        };
        self.zone_role.get(assume).await
    }
}

macro_rules! clients {
    ($($(#[$doc:meta])* $name:ident: $sdk:ident of $service:ident;)*) => {
        impl Session<'_> {
            $($(#[$doc])*
            pub(super) async fn $name(&self) -> Result<&$sdk::Client, Unready> {
                let (endpoint, shared) = self.ready(Service::$service).await?;
                Ok(self.clients.$name.get_or_init(|| {
                    $sdk::Client::from_conf(settings!($sdk, shared, &endpoint).build())
                }))
            })*
        }
    };
}

clients! {
    /// The client of EC2.
    ec2: aws_sdk_ec2 of Ec2;
    /// The client of Elastic Load Balancing for the load balancers of the first generation.
    elb: aws_sdk_elasticloadbalancing of Elb;
    /// The client of Elastic Load Balancing.
    elbv2: aws_sdk_elasticloadbalancingv2 of Elb;
    /// The client of IAM.
    iam: aws_sdk_iam of Iam;
    /// The client of KMS.
    kms: aws_sdk_kms of Kms;
    /// The client of Service Quotas.
    quotas: aws_sdk_servicequotas of Quotas;
    /// The client of Route 53.
    route53: aws_sdk_route53 of Route53;
    /// The client of Resource Groups Tagging.
    tagging: aws_sdk_resourcegroupstagging of Tagging;
}
