//! No secret is ever shown, wherever credentials come from and whatever the cloud says of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::answers::{assumed, handed_out};
use crate::authority::Authority;
use crate::front::{ALL, ANY, Asked, Front, Reply, Rule, UNSIGNED, refusal};
use crate::moto::Moto;
use crate::program::{CONFIG, Landfall, Ran, config, endpoints};
use crate::proxy::{Proxy, Way};

/// In every secret.
const CANARY: &str = "c4n4ryc4n4ry";

/// Hosts of the services of the public cloud, which only a proxy can reach here.
const HOSTS: &[&str] = &["*.us-east-1.amazonaws.com", "*.amazonaws.com"];

const ROLE: &str = "arn:aws:iam::123456789012:role/lander";

fn secret(name: &str) -> String {
    format!("{CANARY}{name}")
}

/// What stands for a user and a secret password in headers and pull secrets.
fn basic(password: &str) -> String {
    STANDARD.encode(format!("lander:{}", secret(password)))
}

fn silent(what: &str, said: &str) {
    for hidden in [CANARY.to_owned(), basic("pull"), basic("proxy"), basic("endpoint")] {
        if let Some(at) = said.find(&hidden) {
            let around: String = said[..at].chars().rev().take(300).collect();
            let around: String = around.chars().rev().collect();
            panic!("{what}: a secret is shown after this:\n{around}");
        }
    }
}

/// The config with a secret in it.
fn with_pull_secret(config: &str) -> String {
    let with = config.replace("ZmFrZTpmYWtl", &basic("pull"));
    assert_ne!(with, config);
    with
}

/// Runs a command as loudly as can be, and gives what it printed after everything was searched.
fn searched(what: &str, landfall: &Landfall, command: &[&str]) -> Ran {
    let log = landfall.write("landfall.log", "");
    let ran = landfall.ask(&[command, &["-v", "--log-file", log.as_str()]].concat());
    silent(what, &ran.out);
    silent(what, &ran.err);
    silent(what, &std::fs::read_to_string(log).unwrap());
    ran
}

/// Where credentials come from.
struct Source {
    name: &'static str,
    /// The id of the access key that it leads to; empty where it leads to none.
    key: &'static str,
    variables: Vec<(&'static str, String)>,
    /// Files below the home, and the variables that name them.
    files: Vec<(&'static str, String, &'static str)>,
}

impl Source {
    fn new(name: &'static str, key: &'static str) -> Self {
        Self { name, key, variables: Vec::new(), files: Vec::new() }
    }

    fn variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    fn file(mut self, variable: &'static str, file: &'static str, text: String) -> Self {
        self.files.push((file, text, variable));
        self
    }

    fn given_to(&self, landfall: Landfall) -> Landfall {
        let named = self
            .files
            .iter()
            .fold(landfall, |landfall, (file, text, variable)| landfall.naming(variable, file, text));
        self.variables.iter().fold(named, |landfall, (name, value)| landfall.with(name, value.as_str()))
    }
}

/// Keys and a session token as files of the SDKs write them.
fn lines(key: &str, name: &str) -> String {
    let (secret, token) = (secret(name), secret(&format!("{name}token")));
    format!("aws_access_key_id = {key}\naws_secret_access_key = {secret}\naws_session_token = {token}\n")
}

/// What a credential process prints.
fn printed(key: &str) -> String {
    let (secret, token) = (secret("process"), secret("processtoken"));
    format!(
        "{{\"Version\":1,\"AccessKeyId\":\"{key}\",\"SecretAccessKey\":\"{secret}\",\"SessionToken\":\"{token}\"}}"
    )
}

/// A profile with a credential process that is this script.
fn process(name: &'static str, key: &'static str, script: &str) -> Source {
    let script = format!("echo {} >&2\n{script}\n", secret("stderr"));
    let profile = "[default]\ncredential_process = sh \"$PROCESS\"\n".to_owned();
    Source::new(name, key).file("PROCESS", "process.sh", script).file("AWS_CONFIG_FILE", "config", profile)
}

/// Every source, as it should be.
fn sources(container: &Front, metadata: &Front) -> Vec<Source> {
    let roles = format!(
        "[default]\nrole_arn = {ROLE}\nsource_profile = source\n[profile source]\n{}",
        lines("ASIASOURCE0000000000", "source")
    );
    vec![
        Source::new("environment", "ASIAENVIRONMENT00000")
            .variable("AWS_ACCESS_KEY_ID", "ASIAENVIRONMENT00000")
            .variable("AWS_SECRET_ACCESS_KEY", secret("environment"))
            .variable("AWS_SESSION_TOKEN", secret("environmenttoken")),
        Source::new("credentials file", "ASIACREDENTIALS00000").file(
            "AWS_SHARED_CREDENTIALS_FILE",
            "credentials",
            format!("[default]\n{}", lines("ASIACREDENTIALS00000", "credentials")),
        ),
        Source::new("profile", "ASIAPROFILE000000000").variable("AWS_PROFILE", "lander").file(
            "AWS_CONFIG_FILE",
            "config",
            format!("[profile lander]\n{}", lines("ASIAPROFILE000000000", "profile")),
        ),
        process("process", "ASIAPROCESS000000000", &format!("echo '{}'", printed("ASIAPROCESS000000000"))),
        Source::new("assumed role", "ASIAASSUMED000000000").file("AWS_CONFIG_FILE", "config", roles),
        Source::new("web identity", "ASIAASSUMED000000000").variable("AWS_ROLE_ARN", ROLE).file(
            "AWS_WEB_IDENTITY_TOKEN_FILE",
            "token",
            secret("webidentity"),
        ),
        Source::new("container", "ASIACONTAINER0000000")
            .variable("AWS_CONTAINER_CREDENTIALS_FULL_URI", format!("{}/credentials", container.url()))
            .variable("AWS_CONTAINER_AUTHORIZATION_TOKEN", secret("container")),
        Source::new("metadata", "ASIAMETADATA00000000")
            .variable("AWS_EC2_METADATA_DISABLED", "false")
            .variable("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.url()),
    ]
}

/// Sources that are set up and give nothing.
fn broken_sources(container: &Front, metadata: &Front) -> Vec<Source> {
    vec![
        process("a process that fails", "", &format!("echo '{}'; exit 3", printed("ASIA"))),
        process("a process that babbles", "", &format!("echo 'your key is {}'", secret("babble"))),
        process(
            "a process that stops",
            "",
            &format!("echo '{{\"Version\":1,\"SecretAccessKey\":\"{}'", secret("cut")),
        ),
        Source::new("a file that is torn", "").file(
            "AWS_SHARED_CREDENTIALS_FILE",
            "credentials",
            format!("[default\naws_secret_access_key {}\n{}", secret("torn"), secret("line")),
        ),
        Source::new("a profile without its key", "").file(
            "AWS_CONFIG_FILE",
            "config",
            format!("[default]\naws_secret_access_key = {}\n", secret("half")),
        ),
        Source::new("a container that refuses", "")
            .variable("AWS_CONTAINER_CREDENTIALS_FULL_URI", format!("{}/refused", container.url()))
            .variable("AWS_CONTAINER_AUTHORIZATION_TOKEN", secret("container")),
        Source::new("metadata that are none", "")
            .variable("AWS_EC2_METADATA_DISABLED", "false")
            .variable("AWS_EC2_METADATA_SERVICE_ENDPOINT", format!("{}/broken", metadata.url())),
    ]
}

/// The metadata service of containers.
fn container() -> Front {
    let answer = |asked: &Asked| match asked.path.as_str() {
        "/credentials" if asked.header("authorization") == secret("container") => {
            handed_out("ASIACONTAINER0000000", &secret("handed"), &secret("handedtoken"))
        }
        _ => Reply::new(401, "text/plain", format!("who is this?\n{}", asked.echo())),
    };
    Front::start(None, None, vec![Rule::always(ANY, ALL, answer)])
}

/// The metadata service of machines.
fn metadata() -> Front {
    let answer = |asked: &Asked| match (asked.method.as_str(), asked.path.as_str()) {
        ("PUT", "/latest/api/token") => Reply::new(200, "text/plain", secret("session"))
            .header("x-aws-ec2-metadata-token-ttl-seconds", "21600"),
        ("GET", "/latest/meta-data/iam/security-credentials/") => Reply::new(200, "text/plain", "lander"),
        ("GET", "/latest/meta-data/iam/security-credentials/lander") => {
            handed_out("ASIAMETADATA00000000", &secret("machine"), &secret("machinetoken"))
        }
        _ => Reply::new(404, "text/plain", format!("{}\n{}", secret("page"), asked.echo())),
    };
    Front::start(None, None, vec![Rule::always(ANY, ALL, answer)])
}

/// What STS gives to those who assume a role, signed or with a token.
fn roles() -> Vec<Rule> {
    let assume =
        |asked: &Asked| assumed(asked, "ASIAASSUMED000000000", &secret("assumed"), &secret("assumedtoken"));
    vec![
        Rule::always("sts", "AssumeRole", assume),
        Rule::always(UNSIGNED, "AssumeRoleWithWebIdentity", assume),
    ]
}

/// A run whose way to the cloud leads through a proxy that wants a password.
fn through_the_proxy(config: &str, authority: &Authority, proxy: &Proxy) -> Landfall {
    Landfall::new(&with_pull_secret(config))
        .naming("AWS_CA_BUNDLE", "ca.pem", &authority.pem)
        .with("HTTPS_PROXY", format!("http://lander:{}@127.0.0.1:{}", secret("proxy"), proxy.port))
        .with("RUST_LOG", "trace")
}

/// Lets those pass who know the password.
fn proxy_to(port: u16) -> Proxy {
    Proxy::start(move |asked| {
        let known = asked.header("proxy-authorization") == format!("Basic {}", basic("proxy"));
        if known { Way::To(port) } else { Way::Refused(407, asked.echo()) }
    })
}

#[test]
#[ignore = "needs moto"]
fn of_credentials_that_are_accepted_nothing_is_shown() {
    let moto = Moto::start();
    moto.zone("us-east-1", "example.com");
    let authority = Authority::new("Public Authority");
    let front = Front::start(Some(moto.port), Some(authority.server(HOSTS)), roles());
    let proxy = proxy_to(front.port);
    let (container, metadata) = (container(), metadata());
    for source in sources(&container, &metadata) {
        let landfall = source.given_to(through_the_proxy(CONFIG, &authority, &proxy));
        let ran = searched(source.name, &landfall, &["preflight", "-o", "json"]);
        let report = ran.json();
        let checks = report["checks"].as_array().unwrap();
        let credentials = checks.iter().find(|check| check["id"] == "aws.credentials").unwrap();
        assert_eq!(credentials["status"], "passed", "{}: {credentials}", source.name);
        let used = front.asked().iter().any(|asked| asked.key() == source.key && asked.service() == "ec2");
        assert!(used, "{} was not used", source.name);
    }

    let source = &sources(&container, &metadata)[0];
    // Operators cannot use credentials of a session.
    let manual = format!("{CONFIG}credentialsMode: Manual\n");
    let landfall = source.given_to(through_the_proxy(&manual, &authority, &proxy));
    searched("preflight for people", &landfall, &["preflight"]).ends(0);
    searched("facts", &landfall, &["facts"]).ends(0);
    searched("create manifests", &landfall, &["create", "manifests"]).ends(0);
}

/// Sources that ask STS for the keys of a role.
const ROLES: &[&str] = &["assumed role", "web identity"];

/// The cloud repeats all that it was sent.
#[test]
fn of_credentials_that_are_refused_nothing_is_shown() {
    let authority = Authority::new("Public Authority");
    let echo = |asked: &Asked| {
        let message =
            format!("The request signature does not match.\n\nThe Canonical String was\n{}", asked.echo());
        refusal(asked, 403, "SignatureDoesNotMatch", &message)
    };
    let front = Front::start(None, Some(authority.server(HOSTS)), vec![Rule::always(ANY, ALL, echo)]);
    let proxy = proxy_to(front.port);
    let (container, metadata) = (container(), metadata());
    // Those that first ask STS for keys of a role get none; the others have keys, which are refused.
    let refused = sources(&container, &metadata).into_iter().map(|source| {
        let code = if ROLES.contains(&source.name) { "LF1002" } else { "LF1003" };
        (source, code)
    });
    let broken = broken_sources(&container, &metadata).into_iter().map(|source| (source, "LF1002"));
    for (source, code) in refused.chain(broken) {
        let landfall = source.given_to(through_the_proxy(CONFIG, &authority, &proxy));
        let ran = searched(source.name, &landfall, &["preflight", "-o", "json"]).ends(4);
        let report = ran.json();
        let checks = report["checks"].as_array().unwrap();
        let credentials = checks.iter().find(|check| check["id"] == "aws.credentials").unwrap();
        assert_eq!(credentials["status"], "failed", "{}: {credentials}", source.name);
        assert_eq!(credentials["code"], code, "{}: {credentials}", source.name);
        searched(source.name, &landfall, &["facts"]).ends(4);
    }
}

/// STS says no and repeats the token in its first line, whole and cut off.
#[test]
fn of_a_token_that_may_not_take_over_a_role_nothing_is_shown() {
    let authority = Authority::new("Public Authority");
    let echo = |asked: &Asked| {
        let (whole, cut) = (secret("webidentity"), secret("webidentity"));
        let cut: String = cut.chars().take(18).collect();
        refusal(asked, 403, "AccessDenied", &format!("{whole} may not: {cut}... {}", asked.body))
    };
    let front = Front::start(None, Some(authority.server(HOSTS)), vec![Rule::always(ANY, ALL, echo)]);
    let proxy = proxy_to(front.port);
    let all = sources(&container(), &metadata());
    let source = all.iter().find(|source| source.name == "web identity").unwrap();
    let landfall = source.given_to(through_the_proxy(CONFIG, &authority, &proxy));
    let ran = searched(source.name, &landfall, &["preflight", "-o", "json"]).ends(4);
    assert!(ran.out.contains("AccessDenied"), "{ran}");
}

#[test]
fn of_passwords_in_urls_nothing_is_shown() {
    let authority = Authority::new("Public Authority");
    let front = Front::start(None, Some(authority.server(HOSTS)), Vec::new());
    let keys = &sources(&container(), &metadata())[0];

    // A proxy that does not let us pass, and says why at length.
    let closed = Proxy::start(|asked| Way::Refused(407, asked.echo()));
    let landfall = keys.given_to(through_the_proxy(CONFIG, &authority, &closed));
    let ran = searched("a proxy that refuses", &landfall, &["preflight"]).ends(4);
    assert!(ran.out.contains("proxy"), "{ran}");

    // An endpoint with a user, from the environment and from the config.
    let plain = Front::start(None, None, Vec::new());
    let open = proxy_to(front.port);
    let url = format!("http://lander:{}@127.0.0.1:{}", secret("endpoint"), plain.port);
    let landfall = keys.given_to(through_the_proxy(CONFIG, &authority, &open)).with("AWS_ENDPOINT_URL", url);
    for command in [["preflight"], ["facts"]] {
        searched("an endpoint of the environment", &landfall, &command).ends(4);
    }
    for host in ["ec2.us-east-1.amazonaws.com", "nothing.invalid"] {
        let given = [("ec2", format!("https://lander:{}@{host}", secret("endpoint")))];
        let config = config("us-east-1", &endpoints(&given));
        let landfall = keys.given_to(through_the_proxy(&config, &authority, &open));
        for command in [&["preflight"][..], &["facts"], &["create", "manifests"]] {
            let ran = searched("an endpoint of the config", &landfall, command);
            assert!(ran.code.is_some_and(|code| code != 0), "{ran}");
        }
    }
}
