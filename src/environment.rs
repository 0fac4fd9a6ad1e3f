//! The environment variables that landfall reads: the one table that the reference goes by. A test compares it
//! with the names in the code.

/// Environment variables with one purpose.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Heading of the group.
    pub title: &'static str,
    /// When landfall reads them, in Markdown; empty for every command that calls a cloud.
    pub note: &'static str,
    /// The variables with what each is for, in Markdown.
    pub variables: &'static [(&'static str, &'static str)],
}

/// Every variable that landfall reads, by group.
pub const GROUPS: &[Group] = &[
    Group {
        title: "Credentials for AWS",
        note: "landfall finds credentials like every AWS SDK. `create manifests` and `create cluster` also write the \
               access key into the cluster's secret, unless `AWS_SESSION_TOKEN` is set.",
        variables: &[
            ("AWS_ACCESS_KEY_ID", "access key"),
            ("AWS_SECRET_ACCESS_KEY", "secret key"),
            ("AWS_SESSION_TOKEN", "session token"),
            ("AWS_PROFILE", "profile in the files"),
            ("AWS_CONFIG_FILE", "config file; default `~/.aws/config`"),
            ("AWS_SHARED_CREDENTIALS_FILE", "credentials file; default `~/.aws/credentials`"),
            ("AWS_WEB_IDENTITY_TOKEN_FILE", "token of a web identity"),
            ("AWS_ROLE_ARN", "role of the web identity"),
            ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "URL of a container's credentials"),
            ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "path of a container's credentials"),
            ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "token for a container's credentials"),
            ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "file with the token for a container's credentials"),
            ("AWS_EC2_METADATA_DISABLED", "`true` disables the instance metadata service"),
            ("AWS_EC2_METADATA_SERVICE_ENDPOINT", "URL of the instance metadata service"),
        ],
    },
    Group {
        title: "Endpoints of AWS",
        note: "They apply to services without an endpoint in `serviceEndpoints`.",
        variables: &[
            ("AWS_ENDPOINT_URL", "endpoint of all services"),
            ("AWS_ENDPOINT_URL_<SERVICE>", "endpoint of a service, such as `AWS_ENDPOINT_URL_EC2`"),
            (
                "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
                "`true` ignores these variables and the profile's endpoints",
            ),
            ("AWS_USE_FIPS_ENDPOINT", "`true` selects FIPS endpoints"),
            ("AWS_USE_DUALSTACK_ENDPOINT", "`true` selects dual-stack endpoints"),
        ],
    },
    Group {
        title: "Region of AWS",
        note: "Read by `create install-config` for its default, and by `destroy find --all-regions` for the cloud that \
               it searches. All other commands use the region of the config.",
        variables: &[("AWS_REGION", "region"), ("AWS_DEFAULT_REGION", "region, if `AWS_REGION` is not set")],
    },
    Group {
        title: "Credentials for Azure",
        note: "`create manifests` and `create cluster` also write the client secret into the cluster's secret. \
               `create cluster --engine aso` and `aso render` pass the credential to the operator.",
        variables: &[
            ("AZURE_SUBSCRIPTION_ID", "subscription"),
            ("AZURE_TENANT_ID", "tenant"),
            ("AZURE_CLIENT_ID", "application, or user-assigned managed identity"),
            ("AZURE_CLIENT_SECRET", "client secret"),
            ("AZURE_CLIENT_CERTIFICATE_PATH", "client certificate (PEM or PKCS#12)"),
            ("AZURE_CLIENT_CERTIFICATE_PASSWORD", "password of the certificate"),
            ("AZURE_FEDERATED_TOKEN_FILE", "token of a workload identity"),
            ("AZURE_AUTH_LOCATION", "service principal's file; default `~/.azure/osServicePrincipal.json`"),
            ("IDENTITY_ENDPOINT", "managed identity of a machine"),
            ("IDENTITY_HEADER", "header for `IDENTITY_ENDPOINT`"),
        ],
    },
    Group {
        title: "Location of Azure",
        note: "Read by `create install-config` for its default, and by `destroy find --all-regions` for the cloud that \
               it searches.",
        variables: &[("AZURE_DEFAULTS_LOCATION", "location")],
    },
    Group {
        title: "Certificates and proxies",
        note: "They apply to every cloud and every cluster. Proxies may be in upper or lower case.",
        variables: &[
            ("SSL_CERT_FILE", "file with additional CA certificates"),
            ("SSL_CERT_DIR", "folders with additional CA certificates"),
            ("AWS_CA_BUNDLE", "file with additional CA certificates"),
            ("HTTPS_PROXY", "proxy for https"),
            ("HTTP_PROXY", "proxy for http"),
            ("ALL_PROXY", "proxy for both"),
            ("NO_PROXY", "hosts that bypass the proxy"),
        ],
    },
    Group {
        title: "Clusters",
        note: "Read by `create cluster`, `destroy`, `wait-for`, `aso`, `operator run`, and by each command with \
               `--cloud-profile-ref`.",
        variables: &[
            (
                "KUBECONFIG",
                "kubeconfig of the management cluster, of the operator's cluster, or of that with cloud profiles",
            ),
            ("KUBERNETES_SERVICE_HOST", "API server in a pod"),
            ("KUBERNETES_SERVICE_PORT", "port of the API server in a pod"),
            ("HOSTNAME", "name of the replica, or of the holder of a lease"),
            ("RELEASE_VERSION", "version that `cloud-config-sync` reports"),
            ("OPENSHIFT_INSTALL_INVOKER", "invoker that the cluster reports; default `user`"),
        ],
    },
    Group {
        title: "Programs",
        note: "The engine runs in the same environment, without `TF_VAR_*`, `TF_CLI_ARGS*`, `TF_WORKSPACE`, \
               `TF_DATA_DIR` and `TF_REATTACH_PROVIDERS`, and without `TF_LOG*` unless `TF_LOG_PATH` is set. On Azure \
               landfall sets its `ARM_*` variables.",
        variables: &[
            ("PATH", "where `tofu`, `terraform`, `openshift-install` and `az` are searched"),
            ("TF_LOG_PATH", "file for the log of Terraform"),
            ("TF_CLI_CONFIG_FILE", "configuration file of Terraform"),
            ("TF_PLUGIN_CACHE_DIR", "cache for the providers of Terraform"),
        ],
    },
    Group {
        title: "Terminal",
        note: "Read by every command.",
        variables: &[
            ("NO_COLOR", "disables colours with `--color auto`"),
            ("HOME", "home directory of the user, for files below `~`"),
            ("LANDFALL_COMPLETE", "set by the scripts of `landfall completion` to complete a word"),
        ],
    },
];

/// The commands that read no variable but those of the terminal.
pub const COMMANDS_WITHOUT: &[&str] = &[
    "validate",
    "defaults",
    "explain",
    "schema",
    "regions",
    "graph",
    "aso roles",
    "cloud-config",
    "profile",
    "operator manifests",
    "operator crds",
];
