use landfall_diagnostics::secret::Secret;

use super::*;

/// What the providers say, in their words, and what it is.
const SAID: &[(&str, Cause)] = &[
    (
        "creating EC2 VPC: operation error EC2: CreateVpc, https response error StatusCode: 503, RequestID: x, \
         api error RequestLimitExceeded: Request limit exceeded.",
        Cause::Throttled,
    ),
    ("creating IAM Role (x): ThrottlingException: Rate exceeded", Cause::Throttled),
    (
        "polling after CreateOrUpdate: unexpected status 429 (429 Too Many Requests) with error: \
         TooManyRequests: The request is being throttled",
        Cause::Throttled,
    ),
    ("StatusCode: 429, RequestID: x", Cause::Throttled),
    (
        "creating EC2 VPC: operation error EC2: CreateVpc, https response error StatusCode: 400, RequestID: x, \
         api error VpcLimitExceeded: The maximum number of VPCs has been reached.",
        Cause::Quota,
    ),
    (
        "creating EC2 EIP: AddressLimitExceeded: The maximum number of addresses has been reached.",
        Cause::Quota,
    ),
    ("api error VcpuLimitExceeded: You have requested more vCPU capacity than your limit", Cause::Quota),
    (
        "compute.VirtualMachinesClient: Code=\"OperationNotAllowed\" Message=\"Operation could not be completed \
         as it results in exceeding approved standardDSv3Family Cores quota.\"",
        Cause::Quota,
    ),
    ("PublicIPCountLimitReached: Cannot create more than 10 public IP addresses", Cause::Quota),
    (
        "operation error EC2: RunInstances, https response error StatusCode: 403, RequestID: x, api error \
         UnauthorizedOperation: You are not authorized to perform this operation.",
        Cause::Permission,
    ),
    ("AccessDenied: User is not authorized to perform: iam:CreateRole", Cause::Permission),
    (
        "unexpected status 403 (403 Forbidden) with error: LinkedAuthorizationFailed: The client has permission",
        Cause::Permission,
    ),
    ("https response error StatusCode: 403, RequestID: x", Cause::Permission),
    (
        "https response error StatusCode: 403, RequestID: x, api error ExpiredToken: The security token included \
         in the request is expired",
        Cause::Credentials,
    ),
    ("api error InvalidClientTokenId: The security token is invalid. status code: 403", Cause::Credentials),
    ("api error RequestExpired: Request has expired.", Cause::Credentials),
    ("creating IAM Role (demo): EntityAlreadyExists: Role with name demo already exists.", Cause::NameTaken),
    ("creating S3 Bucket (demo): BucketAlreadyOwnedByYou", Cause::NameTaken),
    ("creating S3 Bucket (demo): BucketAlreadyExists", Cause::NameTaken),
    ("DuplicateLoadBalancerName: A load balancer of the same name exists", Cause::NameTaken),
    ("A resource with the ID \"/subscriptions/x\" already exists - to be managed via", Cause::NameTaken),
    ("api error InsufficientInstanceCapacity: We do not have sufficient m5.xlarge capacity", Cause::Capacity),
    ("SkuNotAvailable: The requested VM size is not available in location", Cause::Capacity),
    ("ZonalAllocationFailed: Allocation failed.", Cause::Capacity),
    ("Failed to query available provider packages: Could not retrieve the list", Cause::Provider),
    ("Inconsistent dependency lock file", Cause::Provider),
    ("dial tcp: lookup ec2.xx-hidden-1.example.com: no such host", Cause::Unreachable),
    ("tls: failed to verify certificate: x509: certificate signed by unknown authority", Cause::Unreachable),
    ("Post \"https://x/\": dial tcp 10.0.0.1:443: i/o timeout", Cause::Unreachable),
    (
        "waiting for EC2 Instance (i-1) create: timeout while waiting for state to become 'running'",
        Cause::TimeOut,
    ),
    (
        "Plugin did not respond: The plugin encountered an error, and failed to respond to the \
         plugin.(*GRPCProvider).ApplyResourceChange call.",
        Cause::Crashed,
    ),
    (
        "Request cancelled: The plugin.(*GRPCProvider).ValidateResourceConfig request was cancelled.",
        Cause::Crashed,
    ),
    (
        "[WARN] A duplicate Security Group rule was found on (sg-1). This may be a side effect",
        Cause::NameTaken,
    ),
    ("waiting for Security Group (sg-1) Rule (sgrule-1) create: couldn't find resource", Cause::Missing),
    (
        "revoking default IPv4 egress rule for Security Group (sg-1): operation error EC2: RevokeSecurityGroupEgress, \
         https response error StatusCode: 400, RequestID: x, api error InvalidPermission.NotFound: The specified rule \
         does not exist in this security group",
        Cause::Unanswered,
    ),
    (
        "creating Main Route Table Association (rtb-1): operation error EC2: ReplaceRouteTableAssociation, https response \
         error StatusCode: 400, RequestID: x, api error InvalidAssociationID.NotFound: Association ID 'rtbassoc-1' not \
         found",
        Cause::Unanswered,
    ),
    (
        "creating EC2 Internet Gateway: attaching EC2 Internet Gateway (igw-1) to VPC (vpc-1): operation error EC2: \
         AttachInternetGateway, https response error StatusCode: 400, RequestID: x, api error Resource.AlreadyAssociated: \
         Resource igw-1 is already associated",
        Cause::Unanswered,
    ),
    (
        "adding IAM Role (r) to IAM Instance Profile (p): operation error IAM: AddRoleToInstanceProfile, https response \
         error StatusCode: 409, RequestID: x, LimitExceeded: Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1",
        Cause::Unanswered,
    ),
    (
        "creating EC2 Subnet: operation error EC2: CreateSubnet, https response error StatusCode: 400, RequestID: x, api \
         error InvalidSubnet.Conflict: The CIDR '10.0.0.0/18' conflicts with another subnet",
        Cause::NameTaken,
    ),
    (
        "setting S3 Bucket (b) tags: listing resource tags (b): operation error S3: GetBucketTagging, https response error \
         StatusCode: 404, RequestID: x, api error NoSuchBucket: The specified bucket does not exist",
        Cause::Missing,
    ),
    ("reading Security Group (sg-1): empty result", Cause::Missing),
    ("empty result", Cause::Missing),
    (
        "validating provider credentials: retrieving caller identity from STS: empty response",
        Cause::Unanswered,
    ),
    ("Error acquiring the state lock: resource temporarily unavailable", Cause::Locked),
    ("write terraform.tfstate: no space left on device", Cause::Disk),
    ("local-exec provisioner error: exit status 3", Cause::Other),
    (
        "creating EC2 VPC: modifying EnableDnsHostnames: operation error EC2: ModifyVpcAttribute, https response \
         error StatusCode: 200, RequestID: x, decomposing response: unexpected EOF",
        Cause::Unanswered,
    ),
    (
        "reading ELBv2 Listener (x): operation error Elastic Load Balancing v2: DescribeListeners, https response \
         error StatusCode: 200, RequestID: , deserialization failed, failed to decode response body",
        Cause::Unanswered,
    ),
    (
        "operation error EC2: CreateVpc, https response error StatusCode: 503, RequestID: x, api error Unavailable: \
         try later",
        Cause::Unanswered,
    ),
    (
        "operation error STS: GetCallerIdentity, https response error StatusCode: 0, RequestID: , request send \
         failed, Post \"https://sts.us-east-1.amazonaws.com/\": EOF",
        Cause::Unanswered,
    ),
];

#[test]
fn every_row_of_signs_is_read() {
    let text = include_str!("../data/signs.json");
    let rows: Result<Vec<Signs>, _> = serde_json::from_str(text);
    assert!(rows.is_ok_and(|rows| rows.len() == SIGNS.len() && !rows.is_empty()));
    assert!(SIGNS.iter().flat_map(|row| &row.signs).all(|sign| *sign == sign.to_lowercase()));
}

#[test]
fn what_providers_say_is_sorted() {
    for (said, expected) in SAID {
        assert_eq!(cause(said), *expected, "{said}");
    }
}

#[test]
fn signs_are_in_small_letters() {
    for sign in SIGNS.iter().flat_map(|entry| &entry.signs) {
        assert_eq!(*sign, sign.to_lowercase());
    }
}

#[test]
fn nothing_secret_is_shown() {
    let mut scrub = Scrub::default();
    scrub.hide(&Secret::new("canary-of-the-environment".to_owned()));
    let texts = [
        "the key canary-of-the-environment is wrong",
        "Get \"https://bucket.example.com/x?X-Amz-Signature=canary&y=canary\": EOF",
        "at https://user:canary@proxy:3128/ it ends",
        "see /container/blob?sv=1&sig=canary",
        "query X-Amz-Credential=canary",
    ];
    for text in texts {
        let shown = shown(text, &scrub);
        assert!(!shown.contains("canary") && shown.len() > 8, "{text}: {shown}");
    }
    let encoded = format!("encoded message: {}canary", "x".repeat(900));
    assert!(!shown(&encoded, &scrub).contains("canary"));
}

#[test]
fn a_text_becomes_one_short_line() {
    let scrub = Scrub::default();
    assert_eq!(shown("Error  one:\n\n  two\tthree.\n", &scrub), "Error one: two three");
    assert_eq!(shown("", &scrub), "");
    let long = shown(&"wörter ".repeat(5000), &scrub);
    assert!(long.chars().count() <= SHOWN + 1 && long.ends_with('…'), "{long}");
    let bell = shown("a\u{7}b \u{1b}[31mred", &scrub);
    assert!(!bell.chars().any(char::is_control), "{bell:?}");
}

#[test]
fn the_beginning_ends_between_characters() {
    for shift in 0..4 {
        let text = format!("{}{}", "x".repeat(shift), "…".repeat(LOOKED_AT));
        let kept = beginning(&text);
        assert!(kept.len() <= LOOKED_AT && LOOKED_AT - kept.len() < 3);
    }
}

#[test]
fn reads_errors_for_people() {
    let text = "Initializing the backend...\n\nError: Failed to query available provider packages\n\n\
                Could not retrieve the list of available versions for provider hashicorp/aws:\n\
                provider was not found in any of the\nsearch locations\n\n  - /mirror\n\n\
                Warning: something\n\nnot this\n╷\n│ Error: second\n│\n│   on main.tf line 3\n╵\n";
    let found = plain(text);
    let summaries: Vec<&str> = found.iter().map(|error| error.summary.as_str()).collect();
    assert_eq!(summaries, ["Failed to query available provider packages", "second"]);
    let first = found.iter().map(|error| Trouble::of(error, &Scrub::default())).next();
    assert!(first.is_some_and(|first| {
        first.cause == Cause::Provider
            && first.said.ends_with("- /mirror")
            && !first.said.contains("not this")
    }));
}

#[test]
fn the_last_words_stand_for_an_error() {
    assert_eq!(last_words(" \n"), None);
    let said = last_words("one\ntwo\n\nthree\nfour\n").map(|error| error.summary);
    assert_eq!(said, Some("two three four".to_owned()));
}
