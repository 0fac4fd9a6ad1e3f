//! The pages of trust, endpoints, credentials, the subscription and calls.

use landfall_diagnostics::{Base, Page, Severity};

/// A certificate that was given as a trust root cannot be one.
pub(super) const TRUST: Page = Page {
    code: "LF1100",
    title: "what is given as trust roots for Azure are certificates",
    text: "SSL_CERT_FILE, AWS_CA_BUNDLE and additionalTrustBundle are added to the roots of the system, \
           whatever cloud is asked. Each must be a file or text in PEM form that can be read in full.",
    severity: Severity::Error,
    fields: &["additionalTrustBundle"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Nobody knows the cloud.
pub(super) const CLOUD: Page = Page {
    code: "LF1101",
    title: "the endpoints of the cloud are known",
    text: "Every cloud has a resource manager and an authority of its own. The catalogue has those of \
           Microsoft's clouds; an overlay adds others. An Azure Stack Hub is found by armEndpoint.",
    severity: Severity::Error,
    fields: &["platform.azure.cloudName"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The cloud was closed.
pub(super) const CLOSED: Page = Page {
    code: "LF1102",
    title: "the cloud is in operation",
    text: "The name of a closed cloud stays valid, so that old files can be read, but nothing can be \
           installed there. Its endpoints are tried all the same.",
    severity: Severity::Warning,
    fields: &["platform.azure.cloudName"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Something that is set as an endpoint cannot be one.
pub(super) const URL: Page = Page {
    code: "LF1103",
    title: "an endpoint of Azure is a URL that begins with https",
    text: "Requests carry tokens, which are sent over TLS alone. An endpoint comes from armEndpoint, from \
           the catalogue, or from what an Azure Stack Hub says of itself.",
    severity: Severity::Error,
    fields: &["platform.azure.armEndpoint", "platform.azure.cloudName"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A Stack Hub does not tell its endpoints.
pub(super) const DISCOVERY: Page = Page {
    code: "LF1104",
    title: "an Azure Stack Hub tells its endpoints",
    text: "The resource manager of a hub answers /metadata/endpoints with the authority that issues tokens \
           and the audience that tokens must be for. Nothing can be asked of it without them.",
    severity: Severity::Error,
    fields: &["platform.azure.armEndpoint"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A Stack Hub has an authority that cannot be used.
pub(super) const FEDERATION_SERVICES: Page = Page {
    code: "LF1105",
    title: "an Azure Stack Hub has its identities in Microsoft Entra ID",
    text: "A hub that was set up without a connection has its identities in AD FS, whose tokens are asked \
           for in another way, which landfall does not support. Which of the two it is was chosen when the \
           hub was set up.",
    severity: Severity::Error,
    fields: &["platform.azure.armEndpoint"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Nothing answers at an endpoint.
pub(super) const UNREACHABLE: Page = Page {
    code: "LF1106",
    title: "the resource manager and the authority can be reached",
    text: "The name must resolve, the connection must come about, and something must answer, all within the \
           time of --timeout. The proxies of HTTPS_PROXY and NO_PROXY are used. What was tried, step by \
           step, is in the evidence.",
    severity: Severity::Error,
    fields: &["platform.azure.cloudName", "platform.azure.armEndpoint"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The TLS of an endpoint cannot be trusted.
pub(super) const TLS: Page = Page {
    code: "LF1107",
    title: "the certificates of the resource manager and the authority are trusted and for their hosts",
    text: "TLS is always verified. Add the authority of a private endpoint to additionalTrustBundle, so \
           that the machines trust it too, or to SSL_CERT_FILE for this machine alone. The certificates \
           that were presented are in the evidence.",
    severity: Severity::Error,
    fields: &["platform.azure.cloudName", "platform.azure.armEndpoint"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Something answers at an endpoint, but not what should.
pub(super) const NOT_AZURE: Page = Page {
    code: "LF1108",
    title: "at the endpoints of a cloud, that cloud answers",
    text: "The resource manager refuses a request without a token and says by which means it wants to be \
           asked. The authority describes itself. The page of a gateway or of a proxy that wants to be \
           logged in to looks different.",
    severity: Severity::Error,
    fields: &["platform.azure.cloudName", "platform.azure.armEndpoint"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// An endpoint sends somewhere else.
pub(super) const REDIRECT: Page = Page {
    code: "LF1109",
    title: "an endpoint of Azure answers itself",
    text: "landfall follows no redirect: a token must not go to a host that nobody named.",
    severity: Severity::Error,
    fields: &["platform.azure.cloudName", "platform.azure.armEndpoint"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Nothing gives credentials.
pub(super) const NO_CREDENTIALS: Page = Page {
    code: "LF1110",
    title: "there are credentials for Azure",
    text: "They are looked for in this order: a certificate, a client secret (AZURE_CLIENT_ID with \
           AZURE_CLIENT_CERTIFICATE_PATH or AZURE_CLIENT_SECRET, else ~/.azure/osServicePrincipal.json), \
           the token file of a workload identity (AZURE_FEDERATED_TOKEN_FILE), the managed identity of this \
           machine, and the Azure CLI, which is not asked where an application is named.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Credentials that lack a part.
pub(super) const INCOMPLETE: Page = Page {
    code: "LF1111",
    title: "credentials for Azure are complete",
    text: "A secret, a certificate and a federated token are those of an application, named by \
           AZURE_CLIENT_ID, in a tenant, named by AZURE_TENANT_ID. All must come from the environment, or \
           all from ~/.azure/osServicePrincipal.json, or the file that AZURE_AUTH_LOCATION names in its \
           place, which must then be there. An application without any of the three can only be a \
           managed identity of this machine.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A certificate that no token can be asked for with.
pub(super) const CERTIFICATE: Page = Page {
    code: "LF1112",
    title: "the certificate of the application can be used",
    text: "The file holds the certificate and its RSA key: both in PEM form and without a password, or both \
           in PKCS#12 form (.pfx, .p12), with the password in AZURE_CLIENT_CERTIFICATE_PASSWORD or, where \
           ~/.azure/osServicePrincipal.json names the file, in clientCertificatePassword there.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The authority does not accept the credentials.
pub(super) const REFUSED: Page = Page {
    code: "LF1113",
    title: "the authority accepts the credentials",
    text: "The tenant must be one of the cloud that is asked, the application must be in it, and the secret \
           or certificate must be the application's. The number after AADSTS is the authority's own; \
           https://login.microsoftonline.com/error explains each.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The credentials' time is over.
pub(super) const EXPIRED: Page = Page {
    code: "LF1114",
    title: "the credentials for Azure are still valid",
    text: "Client secrets and certificates have an end, which the app registration shows. A login to the \
           Azure CLI ends when it was not used for a while.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The source of credentials gives no token.
pub(super) const NO_TOKEN: Page = Page {
    code: "LF1115",
    title: "the source of credentials gives a token",
    text: "Everything that is asked of Azure is asked with a token for its resource manager. What a source \
           says of a failure is not shown, as it may hold what it was given, but for the last line of the \
           Azure CLI.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Nobody says which subscription it is.
pub(super) const SUBSCRIPTION: Page = Page {
    code: "LF1116",
    title: "the subscription to install into is named",
    text: "It is named by AZURE_SUBSCRIPTION_ID or by ~/.azure/osServicePrincipal.json. Where the \
           credentials can see exactly one, that one is taken.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The subscription is not there.
pub(super) const NO_SUBSCRIPTION: Page = Page {
    code: "LF1117",
    title: "the credentials can see the subscription",
    text: "A subscription belongs to one tenant of one cloud. Credentials see it when they have a role on \
           it or on something in it.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Nothing can be made in the subscription.
pub(super) const DISABLED: Page = Page {
    code: "LF1118",
    title: "the subscription is enabled",
    text: "In a subscription that is disabled everything can be looked at and nothing can be made. Azure \
           disables those that are not paid for or that have used up what they were given.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The subscription may be disabled soon.
pub(super) const UNPAID: Page = Page {
    code: "LF1119",
    title: "nothing stands against the subscription",
    text: "A subscription that is past due or was warned still works. Azure disables it if nothing changes.",
    severity: Severity::Warning,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The subscription is of another tenant.
pub(super) const TENANT: Page = Page {
    code: "LF1120",
    title: "the credentials are of the subscription's tenant",
    text: "The identities of the cluster's machines are made in the tenant of the subscription, and the \
           cluster is told to ask that tenant for its tokens.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A call failed.
pub(super) const CALL: Page = Page {
    code: "LF1121",
    title: "the resource manager answers what it is asked",
    text: "The finding says which call failed and what came back. Calls that were limited, or that Azure \
           failed at, have been repeated before.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The pages of this room; those of the checks of what a config needs are their own.
pub(crate) const PAGES: &[&Page] = &[
    &TRUST,
    &CLOUD,
    &CLOSED,
    &URL,
    &DISCOVERY,
    &FEDERATION_SERVICES,
    &UNREACHABLE,
    &TLS,
    &NOT_AZURE,
    &REDIRECT,
    &NO_CREDENTIALS,
    &INCOMPLETE,
    &CERTIFICATE,
    &REFUSED,
    &EXPIRED,
    &NO_TOKEN,
    &SUBSCRIPTION,
    &NO_SUBSCRIPTION,
    &DISABLED,
    &UNPAID,
    &TENANT,
    &CALL,
];
