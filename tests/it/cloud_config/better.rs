//! What landfall answers where the operators do what is not to be followed.

/// What is expected of a case that shows a quirk.
#[derive(Clone, Copy)]
pub enum Better {
    /// The same: it may look odd, and is right or harmless.
    Same,
    /// A refusal of this name.
    Fault(&'static str),
    /// Another result, as JSON.
    Instead(&'static str),
}

/// What is expected of the case, if it is a known quirk.
pub fn of(id: &str) -> Option<Better> {
    BETTER.iter().find(|(known, ..)| *known == id).map(|(_, better, _)| *better)
}

const ONE_SIDE: &str = "a key stands on one side only, as API servers want it";
const ONE_SET: &str = "what the provider knows is accepted whether there are endpoints or not";
const OLD_NAME: &str = "the old name of the platform is as good as the newer";
const IN_FULL: &str = "a manifest says what it is, and can be applied as it stands";
const QUOTED: &str = "values are quoted as their reader understands it, so that nothing of them is lost";
const DIGITS: &str = "whole numbers keep their digits";
const NO_KEY: &str = "a key that is named and not there is missing, whatever its name is";
const WRONG_KEY: &str = "an entry that is not named is not read, and its place is that of the result";

/// Every case that shows a quirk, with what is expected and why.
pub static BETTER: &[(&str, Better, &str)] = &[
    (
        "aws-region-odd-chars",
        Better::Instead(
            r#"{"data":{"cloud.conf":"[Global]\nZone = eu-west-1a\nVPC = vpc-0a1b2c\n\n[ServiceOverride \"0\"]\n\tService = ec2\n\tRegion = \"us iso \\\"east\\\" ;1\"\n\tURL = https://ec2.internal.example\n\tSigningRegion = \"us iso \\\"east\\\" ;1\"\n"},"write":"apply"}"#,
        ),
        QUOTED,
    ),
    ("aws-region-space", Better::Fault("region-required"), "blanks are no region"),
    ("aws-name-empty", Better::Fault("endpoint-invalid"), "an override of no service overrides nothing"),
    (
        "aws-ini-newer-key-region",
        Better::Instead(
            r#"{"data":{"cloud.conf":"[Global]\nRegion = eu-west-1\n\n[ServiceOverride \"0\"]\n\tService = ec2\n\tRegion = eu-west-1\n\tURL = https://ec2.internal.example\n\tSigningRegion = eu-west-1\n"},"write":"apply"}"#,
        ),
        ONE_SET,
    ),
    (
        "aws-ini-newer-key-probe",
        Better::Instead(
            r#"{"data":{"cloud.conf":"[Global]\nClusterServiceLoadBalancerHealthProbeMode = Shared\n\n[ServiceOverride \"0\"]\n\tService = ec2\n\tRegion = eu-west-1\n\tURL = https://ec2.internal.example\n\tSigningRegion = eu-west-1\n"},"write":"apply"}"#,
        ),
        ONE_SET,
    ),
    (
        "aws-ini-newer-key-nlb",
        Better::Instead(
            r#"{"data":{"cloud.conf":"[Global]\nNLBSecurityGroupMode = Managed\n\n[ServiceOverride \"0\"]\n\tService = ec2\n\tRegion = eu-west-1\n\tURL = https://ec2.internal.example\n\tSigningRegion = eu-west-1\n"},"write":"apply"}"#,
        ),
        ONE_SET,
    ),
    (
        "aws-target-name-binary-twin-0ep",
        Better::Instead(
            r#"{"data":{"cloud.conf":"[Global]\nZone = eu-west-1a\nVPC = vpc-0a1b2c\n"},"write":"apply"}"#,
        ),
        ONE_SIDE,
    ),
    (
        "aws-binary-key-target-in-data",
        Better::Instead(
            r#"{"binaryData":{"cloud.conf":"W0dsb2JhbF0KWm9uZSA9IGV1LXdlc3QtMWEKVlBDID0gdnBjLTBhMWIyYwoKW1NlcnZpY2VPdmVycmlkZSAiMCJdCglTZXJ2aWNlID0gZWMyCglSZWdpb24gPSBldS13ZXN0LTEKCVVSTCA9IGh0dHBzOi8vZWMyLmludGVybmFsLmV4YW1wbGUKCVNpZ25pbmdSZWdpb24gPSBldS13ZXN0LTEK"},"write":"apply"}"#,
        ),
        ONE_SIDE,
    ),
    ("aws-key-empty-string-1ep", Better::Same, WRONG_KEY),
    ("az-cfg-cloud-lower", Better::Same, "the provider reads it in any case, and the second step spells it"),
    (
        "az-cfg-yaml-bool-values",
        Better::Instead(
            r#"{"data":{"cloud.conf":"{\n\t\"a\": \"yes\",\n\t\"b\": \"off\",\n\t\"c\": null,\n\t\"cloud\": \"AzureUSGovernmentCloud\",\n\t\"d\": 31,\n\t\"e\": 15,\n\t\"f\": \"017\",\n\t\"g\": 1000,\n\t\"h\": 0.5,\n\t\"i\": \"2024-01-02\"\n}\n"},"write":"apply"}"#,
        ),
        "YAML 1.2 has no such words; digits behind a zero, which readers take for different numbers, stay text",
    ),
    ("az-cfg-yaml-multi-doc", Better::Fault("config-unreadable"), "nothing is dropped without a word"),
    (
        "az-cfg-num-big",
        Better::Instead(
            r#"{"data":{"cloud.conf":"{\n\t\"cloud\": \"AzureUSGovernmentCloud\",\n\t\"n\": 12345678901234567890\n}\n"},"write":"apply"}"#,
        ),
        DIGITS,
    ),
    (
        "az-cfg-num-max-safe",
        Better::Instead(
            r#"{"data":{"cloud.conf":"{\n\t\"cloud\": \"AzureUSGovernmentCloud\",\n\t\"n\": 9007199254740993\n}\n"},"write":"apply"}"#,
        ),
        DIGITS,
    ),
    (
        "az-cfg-num-overflow",
        Better::Instead(
            r#"{"data":{"cloud.conf":"{\n\t\"cloud\": \"AzureUSGovernmentCloud\",\n\t\"n\": 1e400\n}\n"},"write":"apply"}"#,
        ),
        "a number stays a number",
    ),
    (
        "az-cfg-str-escaped-unicode",
        Better::Instead(
            r#"{"data":{"cloud.conf":"{\n\t\"cloud\": \"AzureUSGovernmentCloud\",\n\t\"s\": \"é世😀\"\n}\n"},"write":"apply"}"#,
        ),
        "JSON is read as JSON",
    ),
    ("az-cfg-str-html", Better::Same, "every reader of JSON understands the escapes"),
    (
        "az-target-binary-twin",
        Better::Instead(
            r#"{"data":{"cloud.conf":"{\n\t\"cloud\": \"AzurePublicCloud\",\n\t\"resourceGroup\": \"rg1\",\n\t\"tenantId\": \"t-1\"\n}\n"},"write":"apply"}"#,
        ),
        ONE_SIDE,
    ),
    ("az-key-wrong-target-present", Better::Same, WRONG_KEY),
    (
        "asis-GCP-target-binary-twin",
        Better::Instead(r#"{"data":{"cloud.conf":"new"},"write":"apply"}"#),
        ONE_SIDE,
    ),
    (
        "fallback-AWS-nostatus",
        Better::Instead(
            r#"{"data":{"cloud.conf":"[Global]\nZone = eu-west-1a\nVPC = vpc-0a1b2c\n"},"write":"apply"}"#,
        ),
        OLD_NAME,
    ),
    (
        "fallback-Azure-nostatus",
        Better::Instead(
            r#"{"data":{"cloud.conf":"{\n\t\"cloud\": \"AzurePublicCloud\",\n\t\"resourceGroup\": \"rg1\",\n\t\"tenantId\": \"t-1\"\n}\n"},"write":"apply"}"#,
        ),
        OLD_NAME,
    ),
    (
        "fallback-AWS-empty-type",
        Better::Instead(
            r#"{"data":{"cloud.conf":"[Global]\nZone = eu-west-1a\nVPC = vpc-0a1b2c\n\n[ServiceOverride \"0\"]\n\tService = ec2\n\tRegion = eu-west-1\n\tURL = https://ec2.internal.example\n\tSigningRegion = eu-west-1\n"},"write":"apply"}"#,
        ),
        OLD_NAME,
    ),
    (
        "boot-aws-no-endpoints-no-config",
        Better::Instead(
            r#"{"manifest":{"metadata":{"name":"kube-cloud-config","namespace":"openshift-config-managed"}}}"#,
        ),
        IN_FULL,
    ),
    (
        "boot-azure-no-config",
        Better::Instead(
            r#"{"manifest":{"data":{"cloud.conf":"{\n\t\"cloud\": \"AzureChinaCloud\"\n}\n"},"metadata":{"name":"kube-cloud-config","namespace":"openshift-config-managed"}}}"#,
        ),
        IN_FULL,
    ),
    (
        "boot-fallback-aws",
        Better::Instead(
            r#"{"manifest":{"data":{"cloud.conf":"hello"},"metadata":{"name":"kube-cloud-config","namespace":"openshift-config-managed"}}}"#,
        ),
        OLD_NAME,
    ),
    (
        "boot-infra-wrong-kind",
        Better::Fault("infrastructure-unreadable"),
        "a file of another kind is a mistake",
    ),
    (
        "boot-config-wrong-kind",
        Better::Fault("config-manifest-unreadable"),
        "a file of another kind is a mistake",
    ),
    (
        "aws-quoted-semicolon",
        Better::Instead(
            r#"{"output":"[Global]\nZone                                            = \"a;b\"\nDisableSecurityGroupIngress                     = false\nClusterServiceLoadBalancerHealthProbeMode       = Shared\nClusterServiceSharedLoadBalancerHealthProbePort = 0\n"}"#,
        ),
        QUOTED,
    ),
    (
        "aws-quoted-hash",
        Better::Instead(
            r#"{"output":"[Global]\nZone                                            = \"a#b\"\nDisableSecurityGroupIngress                     = false\nClusterServiceLoadBalancerHealthProbeMode       = Shared\nClusterServiceSharedLoadBalancerHealthProbePort = 0\n"}"#,
        ),
        QUOTED,
    ),
    (
        "aws-quoted-space-semicolon",
        Better::Instead(
            r#"{"output":"[Global]\nZone                                            = \"a ; b\"\nDisableSecurityGroupIngress                     = false\nClusterServiceLoadBalancerHealthProbeMode       = Shared\nClusterServiceSharedLoadBalancerHealthProbePort = 0\n"}"#,
        ),
        QUOTED,
    ),
    (
        "aws-quoted-space-hash",
        Better::Instead(
            r#"{"output":"[Global]\nZone                                            = \"a # b\"\nDisableSecurityGroupIngress                     = false\nClusterServiceLoadBalancerHealthProbeMode       = Shared\nClusterServiceSharedLoadBalancerHealthProbePort = 0\n"}"#,
        ),
        QUOTED,
    ),
    (
        "aws-quoted-inner-quote",
        Better::Instead(
            r#"{"output":"[Global]\nZone                                            = \"a\\\"b\"\nDisableSecurityGroupIngress                     = false\nClusterServiceLoadBalancerHealthProbeMode       = Shared\nClusterServiceSharedLoadBalancerHealthProbePort = 0\n"}"#,
        ),
        QUOTED,
    ),
    (
        "aws-quoted-backslash-end",
        Better::Instead(
            r#"{"output":"[Global]\nZone                                            = \"a\\\\\"\nDisableSecurityGroupIngress                     = false\nClusterServiceLoadBalancerHealthProbeMode       = Shared\nClusterServiceSharedLoadBalancerHealthProbePort = 0\n"}"#,
        ),
        QUOTED,
    ),
    ("aws-families-empty", Better::Same, "an empty family says nothing"),
    ("aws-override-ten", Better::Same, "readers find overrides by their names, not by their order"),
    (
        "aws-override-url-specials",
        Better::Instead(
            r#"{"output":"[Global]\nZone                                            = eu-west-1a\nVPC                                             = vpc-1\nDisableSecurityGroupIngress                     = false\nClusterServiceLoadBalancerHealthProbeMode       = Shared\nClusterServiceSharedLoadBalancerHealthProbePort = 0\n\n[ServiceOverride \"0\"]\nService = a\nURL     = \"https://h/?a=b&c=d#frag;x\"\n"}"#,
        ),
        QUOTED,
    ),
    ("prepare-key-is-default-missing", Better::Fault("key-missing"), NO_KEY),
    ("prepare-key-is-default-missing-empty", Better::Fault("key-missing"), NO_KEY),
    ("prepare-binary-default", Better::Instead(r#"{"data":{"cloud.conf":""}}"#), ONE_SIDE),
    (
        "vsphere-domain-unknown-server",
        Better::Same,
        "this is what the description chose, as the operator crashes",
    ),
    (
        "vsphere-vcenter-extras",
        Better::Instead(
            r#"{"output":"global:\n  insecureFlag: true\n  secretName: vsphere-creds\n  secretNamespace: kube-system\nlabels:\n  region: r\n  zone: z\nvcenter:\n  vc1:\n    datacenters:\n    - dc1\n    insecureFlag: true\n    port: 443\n    secretName: other\n    server: vc1\n    thumbprint: AB:CD\n"}"#,
        ),
        "what the text says of a server that the cluster lists is still true",
    ),
    (
        "vsphere-no-vcenters",
        Better::Instead(
            r#"{"output":"global:\n  insecureFlag: true\n  secretName: vsphere-creds\n  secretNamespace: kube-system\nnodes:\n  excludeInternalNetworkSubnetCidr: 10.1.0.0/16\n  externalNetworkSubnetCidr: 10.0.0.0/16,fd00::/48\n  externalVmNetworkName: vm\nvcenter:\n  vc1:\n    datacenters:\n    - dc1\n    server: vc1\n"}"#,
        ),
        "a cluster that lists no server says nothing of them",
    ),
];
