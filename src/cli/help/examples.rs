//! Examples of every command, for its help and its manual page. They work when pasted, with the files that they name.

/// Examples by command, those with commands below them first.
pub const EXAMPLES: &[(&str, &[&str])] = &[
    ("create", &["landfall create install-config --dir demo", "landfall create cluster --dir demo --plan"]),
    ("destroy", &["landfall destroy cluster --dir demo --plan", "landfall destroy bootstrap --dir demo"]),
    ("metadata", &["landfall metadata refresh --dir demo"]),
    (
        "operator",
        &[
            "landfall operator crds | kubectl apply -f -",
            "landfall operator manifests --release-version 4.19.3 | kubectl apply -f -",
        ],
    ),
    ("aso", &["landfall aso check --dir demo"]),
    (
        "cloud-config",
        &[
            "landfall cloud-config stitch --infrastructure infrastructure.yaml",
            "landfall cloud-config ccm --platform azure --source cloud.conf",
        ],
    ),
    ("profile", &["landfall profile render --parent parent.yaml --profile profile.yaml"]),
    (
        "create install-config",
        &[
            "landfall create install-config --dir demo",
            "landfall create install-config --dir demo --platform aws --region us-east-1",
        ],
    ),
    (
        "create cluster",
        &[
            "landfall create cluster --dir demo --plan",
            "landfall create cluster --dir demo --wait",
            "landfall create cluster --dir demo --engine native --yes",
        ],
    ),
    (
        "create manifests",
        &[
            "landfall create manifests --dir demo",
            "landfall create manifests --dir demo --offline --release 4.19",
            "landfall create manifests --fleet clusters",
        ],
    ),
    (
        "create permissions-policy",
        &[
            "landfall create permissions-policy --dir demo",
            "landfall create permissions-policy --dir demo > policy.json",
        ],
    ),
    (
        "destroy cluster",
        &[
            "landfall destroy cluster --dir demo --plan",
            "landfall destroy cluster --dir demo",
            "landfall destroy cluster --infra-id demo-x7k2p --region eu-central-1",
        ],
    ),
    (
        "destroy bootstrap",
        &["landfall destroy bootstrap --dir demo", "landfall destroy bootstrap --dir demo --yes"],
    ),
    (
        "destroy find",
        &["landfall destroy find --region eu-central-1", "landfall destroy find --all-regions -o json"],
    ),
    (
        "wait-for",
        &[
            "landfall wait-for api --dir demo",
            "landfall wait-for bootstrap-complete --dir demo --timeout 1h",
            "landfall wait-for install-complete --dir demo",
        ],
    ),
    (
        "metadata refresh",
        &[
            "landfall metadata refresh --dir demo",
            "landfall metadata refresh --dir demo --kubeconfig demo/auth/kubeconfig",
        ],
    ),
    (
        "validate",
        &[
            "landfall validate install-config.yaml",
            "landfall validate -o json clusters",
            "landfall validate --dir demo",
        ],
    ),
    ("preflight", &["landfall preflight --dir demo", "landfall preflight --dir demo -o json"]),
    ("facts", &["landfall facts --dir demo > facts.json", "landfall facts --dir demo --offline"]),
    (
        "defaults",
        &["landfall defaults demo/install-config.yaml", "landfall defaults -o json demo/install-config.yaml"],
    ),
    (
        "explain",
        &[
            "landfall explain platform.aws.serviceEndpoints",
            "landfall explain LF0422",
            "landfall explain --list",
        ],
    ),
    ("schema", &["landfall schema > install-config.schema.json", "landfall schema catalogue"]),
    ("regions", &["landfall regions --platform aws", "landfall regions -o json"]),
    ("graph", &["landfall graph --open", "landfall graph --resources --dir demo --format svg > demo.svg"]),
    ("gather", &["landfall gather --dir demo", "landfall gather --dir demo --ssh-key ~/.ssh/id_ed25519"]),
    (
        "aso render",
        &[
            "landfall aso render --dir demo",
            "landfall aso render --infra-id demo-x7k2p demo/install-config.yaml",
        ],
    ),
    (
        "aso check",
        &[
            "landfall aso check --dir demo",
            "landfall aso check --kubeconfig management.kubeconfig --upgrade-to v2.20.0",
        ],
    ),
    (
        "aso install",
        &[
            "landfall aso install --manifest azureserviceoperator_v2.19.0.yaml",
            "landfall aso install --chart aso-v2.19.0.tgz --cloud-name AzureUSGovernmentCloud",
        ],
    ),
    (
        "aso upgrade",
        &[
            "landfall aso upgrade --manifest azureserviceoperator_v2.20.0.yaml",
            "landfall aso upgrade --chart aso-v2.20.0.tgz --kubeconfig management.kubeconfig",
        ],
    ),
    (
        "aso handover",
        &[
            "landfall aso handover --dir demo",
            "landfall aso handover --infra-id demo-x7k2p --kubeconfig management.kubeconfig",
        ],
    ),
    (
        "aso move",
        &[
            "landfall aso move --dir demo --from-kubeconfig old.kubeconfig --to-kubeconfig new.kubeconfig",
            "landfall aso move --infra-id demo-x7k2p --from-kubeconfig old --to-kubeconfig new",
        ],
    ),
    (
        "aso pause",
        &[
            "landfall aso pause --dir demo",
            "landfall aso pause --infra-id demo-x7k2p --kubeconfig management.kubeconfig",
        ],
    ),
    (
        "aso resume",
        &[
            "landfall aso resume --dir demo",
            "landfall aso resume --infra-id demo-x7k2p --kubeconfig management.kubeconfig",
        ],
    ),
    (
        "aso roles",
        &["landfall aso roles --dir demo", "landfall aso roles --infra-id demo-x7k2p | kubectl apply -f -"],
    ),
    (
        "cloud-config stitch",
        &[
            "landfall cloud-config stitch --infrastructure infrastructure.yaml",
            "landfall cloud-config stitch --infrastructure infrastructure.yaml --cloud-config user.yaml",
        ],
    ),
    (
        "cloud-config ccm",
        &[
            "landfall cloud-config ccm --platform azure --source cloud.conf",
            "landfall cloud-config ccm --platform aws --source - --infrastructure infrastructure.yaml",
        ],
    ),
    (
        "profile check",
        &[
            "landfall profile check --profile profile.yaml",
            "landfall profile check --parent parent.yaml --profile profile.yaml",
        ],
    ),
    (
        "profile render",
        &[
            "landfall profile render --parent parent.yaml --profile profile.yaml",
            "landfall profile render --parent parent.yaml --profile profile.yaml -o json",
        ],
    ),
    (
        "profile diff",
        &[
            "landfall profile diff --parent parent.yaml --profile profile.yaml",
            "landfall profile diff --parent parent.yaml --profile profile.yaml -o json",
        ],
    ),
    (
        "operator manifests",
        &[
            "landfall operator manifests --release-version 4.19.3 | kubectl apply -f -",
            "landfall operator manifests --controllers azure-infrastructure --format helm --dir chart",
        ],
    ),
    (
        "operator crds",
        &["landfall operator crds | kubectl apply -f -", "landfall operator crds | kubectl diff -f -"],
    ),
    (
        "operator run",
        &[
            "landfall operator run --kubeconfig kubeconfig",
            "landfall operator run --controllers endpoint-mirror --kubeconfig kubeconfig",
        ],
    ),
    (
        "completion",
        &[
            "landfall completion bash > ~/.local/share/bash-completion/completions/landfall",
            "landfall completion zsh > ~/.zfunc/_landfall",
        ],
    ),
    ("man", &["landfall man | man -l -", "landfall man --dir ~/.local/share/man/man1"]),
    ("version", &["landfall version", "landfall version -o json"]),
];

/// The examples of a command; none of the program as a whole.
pub fn of(command: &str) -> &'static [&'static str] {
    EXAMPLES.iter().find(|(name, _)| *name == command).map(|(_, examples)| *examples).unwrap_or_default()
}
