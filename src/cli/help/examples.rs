//! Examples of every command, for its help and its manual page. They work when pasted, with the files that they name.

/// Examples by command, in the order in which a user meets them.
pub const EXAMPLES: &[(&str, &[&str])] = &[
    ("create install-config", &["landfall create install-config --dir demo"]),
    (
        "create cluster",
        &[
            "landfall create cluster --dir demo --plan",
            "landfall create cluster --dir demo",
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
    ("create permissions-policy", &["landfall create permissions-policy --dir demo > policy.json"]),
    (
        "destroy cluster",
        &[
            "landfall destroy cluster --dir demo --plan",
            "landfall destroy cluster --dir demo",
            "landfall destroy cluster --infra-id demo-x7k2p --region eu-central-1",
        ],
    ),
    ("destroy bootstrap", &["landfall destroy bootstrap --dir demo"]),
    ("destroy find", &["landfall destroy find --region eu-central-1"]),
    ("wait-for api", &["landfall wait-for api --dir demo"]),
    ("wait-for bootstrap-complete", &["landfall wait-for bootstrap-complete --dir demo --timeout 45m"]),
    ("wait-for install-complete", &["landfall wait-for install-complete --dir demo"]),
    ("metadata refresh", &["landfall metadata refresh --dir demo --kubeconfig demo/auth/kubeconfig"]),
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
    ("defaults", &["landfall defaults demo/install-config.yaml"]),
    (
        "explain",
        &[
            "landfall explain platform.aws.serviceEndpoints",
            "landfall explain LF0422",
            "landfall explain --list",
        ],
    ),
    ("schema", &["landfall schema > install-config.schema.json"]),
    ("regions", &["landfall regions --platform aws", "landfall regions -o json"]),
    ("graph", &["landfall graph --open", "landfall graph | dot -Tsvg > graph.svg"]),
    ("gather", &["landfall gather --dir demo", "landfall gather --dir demo --ssh-key ~/.ssh/id_ed25519"]),
    ("aso render", &["landfall aso render --infra-id demo-x7k2p demo/install-config.yaml"]),
    ("aso check", &["landfall aso check --dir demo"]),
    ("aso handover", &["landfall aso handover --dir demo"]),
    (
        "aso move",
        &["landfall aso move --dir demo --from-kubeconfig old.kubeconfig --to-kubeconfig new.kubeconfig"],
    ),
    ("aso pause", &["landfall aso pause --dir demo"]),
    ("aso resume", &["landfall aso resume --dir demo"]),
    ("aso roles", &["landfall aso roles --infra-id demo-x7k2p | kubectl apply -f -"]),
    (
        "cloud-config stitch",
        &["landfall cloud-config stitch --infrastructure infrastructure.yaml --cloud-config \
             cloud-config.yaml"],
    ),
    (
        "cloud-config ccm",
        &["landfall cloud-config ccm --platform aws --source cloud.conf --infrastructure \
             infrastructure.yaml"],
    ),
    ("profile check", &["landfall profile check --parent parent.yaml --profile profile.yaml"]),
    ("profile render", &["landfall profile render --parent parent.yaml --profile profile.yaml"]),
    ("profile diff", &["landfall profile diff --parent parent.yaml --profile profile.yaml"]),
    ("operator manifests", &["landfall operator manifests | kubectl apply -f -"]),
    ("operator crds", &["landfall operator crds | kubectl apply -f -"]),
    ("operator run", &["landfall operator run --controllers endpoint-mirror --kubeconfig kubeconfig"]),
    ("completion", &["landfall completion bash > ~/.local/share/bash-completion/completions/landfall"]),
    ("man", &["landfall man | man -l -", "landfall man --dir ~/.local/share/man/man1"]),
];

/// The examples of a command; none where it has only commands below it.
pub fn of(command: &str) -> &'static [&'static str] {
    EXAMPLES.iter().find(|(name, _)| *name == command).map(|(_, examples)| *examples).unwrap_or_default()
}
