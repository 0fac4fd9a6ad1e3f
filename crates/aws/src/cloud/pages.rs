//! The pages of trust, endpoints, credentials and calls.

use landfall_diagnostics::{Base, Page, Severity};

/// Nothing gives credentials.
pub(super) const NO_CREDENTIALS: Page = Page {
    code: "LF1001",
    title: "there are credentials for AWS",
    text: "They are looked for where every AWS SDK looks: environment variables, the profile of AWS_PROFILE in \
           ~/.aws/config and ~/.aws/credentials (keys, roles, single sign-on, a credential process), a web \
           identity token, a container, and the metadata of an instance. AWS_EC2_METADATA_DISABLED=true \
           leaves the metadata out, which saves the time of waiting for it where there is no instance.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The source of credentials that is set up gives none.
pub(super) const CREDENTIAL_SOURCE: Page = Page {
    code: "LF1002",
    title: "the source of credentials that is set up gives some",
    text: "A profile that cannot be read, a credential process that fails, a role that may not be assumed or a \
           session that has ended: the first source that is set up is taken, and none after it. What a source \
           prints is never shown, as it may hold keys; run it by hand to see it.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// AWS does not accept the credentials.
pub(super) const REFUSED: Page = Page {
    code: "LF1003",
    title: "AWS accepts the credentials",
    text: "The access key must exist in the partition that is asked, be active, and be used with the secret \
           key that belongs to it. A key of another partition is not known there.",
    severity: Severity::Error,
    fields: &["platform.aws.serviceEndpoints[].url", "platform.aws.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The credentials' time is over.
pub(super) const EXPIRED: Page = Page {
    code: "LF1004",
    title: "the credentials are still valid",
    text: "Credentials of a session end after minutes or hours. An installation takes up to an hour, so get \
           new ones before it begins.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// This machine's clock is wrong.
pub(super) const CLOCK: Page = Page {
    code: "LF1005",
    title: "the clock of this machine is that of AWS",
    text: "Requests are signed with the time. AWS refuses those that are more than a few minutes off.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The credentials are of another partition.
pub(super) const PARTITION: Page = Page {
    code: "LF1006",
    title: "the credentials belong to the partition of the region",
    text: "Partitions share nothing: no accounts, no roles, no images. The second part of the caller's ARN \
           says which one the credentials are of.",
    severity: Severity::Error,
    fields: &["platform.aws.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The caller is the root user.
pub(super) const ROOT: Page = Page {
    code: "LF1007",
    title: "an installation is not made by the root user of an account",
    text: "The root user may do everything, and nobody can take that away from it. AWS advises against any \
           daily use of its keys. An installation needs the permissions that `landfall create \
           permissions-policy` prints and no more.",
    severity: Severity::Warning,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The role for the hosted zone cannot be assumed.
pub(super) const ZONE_ROLE: Page = Page {
    code: "LF1008",
    title: "the role of the hosted zone can be assumed",
    text: "A hosted zone of another account is reached through a role of that account. Its trust policy must \
           name the caller, and the caller must be allowed sts:AssumeRole on it.",
    severity: Severity::Error,
    fields: &["platform.aws.hostedZoneRole"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A certificate that was given as a trust root cannot be one.
pub(super) const TRUST: Page = Page {
    code: "LF1010",
    title: "what is given as trust roots are certificates",
    text: "AWS_CA_BUNDLE, SSL_CERT_FILE and additionalTrustBundle are added to the roots of the system. Each \
           must be a file or text in PEM form that can be read in full.",
    severity: Severity::Error,
    fields: &["additionalTrustBundle"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Something that is set as an endpoint is no URL.
pub(super) const URL: Page = Page {
    code: "LF1011",
    title: "an endpoint is a URL of a host",
    text: "Endpoints come from serviceEndpoints, else from AWS_ENDPOINT_URL and its like or the profile, else \
           from the catalogue, else from the rules of AWS. They begin with http:// or https://.",
    severity: Severity::Error,
    fields: &["platform.aws.serviceEndpoints[].url"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Nothing answers at an endpoint.
pub(super) const UNREACHABLE: Page = Page {
    code: "LF1012",
    title: "every service that an installation calls can be reached",
    text: "The name must resolve, the connection must come about, and something must answer, all within the \
           time of --timeout. The proxies of HTTPS_PROXY and NO_PROXY are used. What was tried, step by step, \
           is in the evidence.",
    severity: Severity::Error,
    fields: &["platform.aws.serviceEndpoints[].url", "platform.aws.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The TLS of an endpoint cannot be trusted.
pub(super) const TLS: Page = Page {
    code: "LF1013",
    title: "the certificate of every endpoint is trusted and for its host",
    text: "TLS is always verified. Add the authority of a private endpoint to additionalTrustBundle, so that \
           the machines trust it too, or to AWS_CA_BUNDLE or SSL_CERT_FILE for this machine alone. The \
           certificates that were presented are in the evidence.",
    severity: Severity::Error,
    fields: &["platform.aws.serviceEndpoints[].url", "platform.aws.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Something answers at an endpoint, but not the service.
pub(super) const NOT_THE_SERVICE: Page = Page {
    code: "LF1014",
    title: "at the endpoint of a service, that service answers",
    text: "Each service is asked one question that changes nothing. A result or an error of AWS shows that it \
           is there. The page of a gateway, a load balancer without a backend or the endpoint of another \
           service show up here instead of in the middle of an installation.",
    severity: Severity::Error,
    fields: &["platform.aws.serviceEndpoints[].url", "platform.aws.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// An endpoint sends somewhere else.
pub(super) const REDIRECT: Page = Page {
    code: "LF1015",
    title: "an endpoint answers itself",
    text: "landfall follows no redirect: a signed request must not go to a host that nobody named. Write the \
           target into the config if it is the right one.",
    severity: Severity::Error,
    fields: &["platform.aws.serviceEndpoints[].url", "platform.aws.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A call failed.
pub(super) const CALL: Page = Page {
    code: "LF1020",
    title: "AWS answers what it is asked",
    text: "The finding says which call failed and what came back. Calls that were limited, or that AWS failed \
           at, have been repeated before.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The pages of this room; those of the checks of what a config needs are their own.
pub(crate) const PAGES: &[&Page] = &[
    &NO_CREDENTIALS,
    &CREDENTIAL_SOURCE,
    &REFUSED,
    &EXPIRED,
    &CLOCK,
    &PARTITION,
    &ROOT,
    &ZONE_ROLE,
    &TRUST,
    &URL,
    &UNREACHABLE,
    &TLS,
    &NOT_THE_SERVICE,
    &REDIRECT,
    &CALL,
];
