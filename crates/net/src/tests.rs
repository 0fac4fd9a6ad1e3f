//! Endpoints on loopback, whole and broken in every way, and proxies before them.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use landfall_testing::assert_names;
use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_rustls::TlsAcceptor;
use url::Url;

use super::trust::{self, Extra, Trust};
use super::{Probe, Proxies, Sort, Step, probe};

type Outcome = Result<(), Box<dyn Error>>;

/// Longer than anything on loopback takes, even on a busy machine.
const AMPLE: Duration = Duration::from_secs(30);

const PLAIN: &str = "HTTP/1.1 403 Forbidden\r\nserver: AmazonEC2\r\ncontent-length: 2\r\n\r\nno";

/// A certificate that signed itself, as PEM, and a server with it.
fn certificate(
    names: &[&str],
    years: (i32, i32),
    is_ca: bool,
) -> Result<(String, TlsAcceptor), Box<dyn Error>> {
    let key = KeyPair::generate()?;
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "Private Cloud");
    params.not_before = date_time_ymd(years.0, 1, 2);
    params.not_after = date_time_ymd(years.1, 1, 2);
    if is_ca {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    }
    let certificate = params.self_signed(&key)?;
    let config = ServerConfig::builder_with_provider(trust::provider())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        )?;
    Ok((certificate.pem(), TlsAcceptor::from(Arc::new(config))))
}

fn trusting(pem: &str) -> Trust {
    let extra = Extra { name: "additionalTrustBundle", pem: Some(pem.as_bytes().to_vec()) };
    Trust::of(Vec::new(), &[extra], Vec::new())
}

fn trusting_nobody() -> Trust {
    Trust::of(Vec::new(), &[], Vec::new())
}

/// A server that gives everybody the same answer, whatever it is asked, and counts the questions.
async fn server(answer: &str, tls: Option<TlsAcceptor>) -> io::Result<(SocketAddr, Arc<AtomicUsize>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let asked = Arc::new(AtomicUsize::new(0));
    let (answer, count) = (answer.to_owned(), Arc::clone(&asked));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(serve(stream, answer.clone(), tls.clone()));
        }
    });
    Ok((address, asked))
}

async fn serve(stream: TcpStream, answer: String, tls: Option<TlsAcceptor>) {
    let Some(tls) = tls else {
        return say(stream, &answer).await;
    };
    if let Ok(stream) = tls.accept(stream).await {
        say(stream, &answer).await;
    }
}

async fn say(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &str) {
    let mut buffer = vec![0; 16 * 1024];
    if !matches!(stream.read(&mut buffer).await, Ok(1..)) {
        return;
    }
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    // A connection that is closed with something unread takes the answer with it.
    while matches!(stream.read(&mut buffer).await, Ok(1..)) {}
}

/// A proxy that opens tunnels, and reports the requests that it got.
async fn proxy() -> io::Result<(SocketAddr, UnboundedReceiver<String>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let (tell, told) = unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(pass(stream, tell.clone()));
        }
    });
    Ok((address, told))
}

async fn pass(mut stream: TcpStream, tell: UnboundedSender<String>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let target = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let inner = TcpStream::connect(target.to_owned()).await;
    let _ = tell.send(head);
    if let Ok(mut inner) = inner {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        let _ = tokio::io::copy_bidirectional(&mut stream, &mut inner).await;
    }
}

async fn look(url: &str, trust: &Trust) -> Result<Probe, url::ParseError> {
    Ok(probe(&Url::parse(url)?, trust, &Proxies::of("", "", ""), AMPLE).await)
}

/// The step at which something is broken, and how.
fn at((step, sort, _): (Step, Sort, &str)) -> (Step, Sort) {
    (step, sort)
}

fn broken(probe: &Probe) -> Option<(Step, Sort, &str)> {
    probe.answer.as_ref().err().map(|broken| (broken.step, broken.sort, broken.why.as_str()))
}

fn status(probe: &Probe) -> Option<u16> {
    probe.answer.as_ref().ok().map(|reply| reply.status)
}

#[tokio::test]
async fn an_answer_is_seen_with_its_headers() -> Outcome {
    let (address, asked) = server(PLAIN, None).await?;
    let seen = look(&format!("http://u:canary@{address}/?token=canary"), &trusting_nobody()).await?;
    assert_eq!(status(&seen), Some(403));
    let Ok(reply) = &seen.answer else { unreachable!("it has a status") };
    assert_eq!((reply.header("server"), reply.body.as_slice()), (Some("AmazonEC2"), b"no".as_slice()));
    assert_eq!(seen.url, format!("http://{address}"));
    assert_eq!(seen.peer, Some(address.to_string()));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let evidence = serde_json::to_string(&seen.evidence())?;
    assert!(evidence.contains("\"status\":403") && evidence.contains("\"stepsMs\""), "{evidence}");
    assert!(!evidence.contains("canary") && !format!("{seen:?}").contains("canary"), "{evidence}");
    Ok(())
}

#[tokio::test]
async fn of_a_long_body_the_beginning_is_read() -> Outcome {
    let long = format!("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{}", "x".repeat(10_000));
    let (address, _) = server(&long, None).await?;
    let seen = look(&format!("http://{address}"), &trusting_nobody()).await?;
    assert_eq!(seen.answer.as_ref().ok().map(|reply| reply.body.len()), Some(4096));
    Ok(())
}

#[tokio::test]
async fn a_redirect_is_reported_and_not_followed() -> Outcome {
    let (target, asked) = server(PLAIN, None).await?;
    let away =
        format!("HTTP/1.1 301 Moved\r\nlocation: http://u:p@{target}/login?t=1\r\ncontent-length: 0\r\n\r\n");
    let (address, _) = server(&away, None).await?;
    let seen = look(&format!("http://{address}"), &trusting_nobody()).await?;
    let location = seen.answer.as_ref().ok().and_then(|reply| reply.header("location"));
    assert_eq!((status(&seen), location), (Some(301), Some(format!("http://{target}/login").as_str())));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    Ok(())
}

#[tokio::test]
async fn a_closed_port_refuses() -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    drop(listener);
    let seen = look(&format!("https://{address}"), &trusting_nobody()).await?;
    assert_eq!(broken(&seen).map(at), Some((Step::Connect, Sort::Refused)));
    Ok(())
}

#[tokio::test]
async fn an_endpoint_that_keeps_silent_costs_the_limit() -> Outcome {
    // The system takes connections for a listener that never asks for them.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let limit = Duration::from_millis(100);
    for (scheme, step) in [("https", Step::Tls), ("http", Step::Http)] {
        let url = Url::parse(&format!("{scheme}://{address}"))?;
        let seen = probe(&url, &trusting_nobody(), &Proxies::of("", "", ""), limit).await;
        assert_eq!(broken(&seen).map(at), Some((step, Sort::TimedOut)));
        assert!(broken(&seen).is_some_and(|(.., why)| why.ends_with(" 100 ms")), "{seen:?}");
    }
    Ok(())
}

#[tokio::test]
async fn an_authority_counts_when_it_is_added() -> Outcome {
    let (pem, tls) = certificate(&["127.0.0.1"], (2020, 4000), false)?;
    let (address, _) = server(PLAIN, Some(tls)).await?;
    let url = format!("https://{address}");
    let (other, _) = certificate(&["127.0.0.1"], (2020, 4000), true)?;
    for nobody in [trusting_nobody(), Trust::gather(false, &[])] {
        let seen = look(&url, &nobody).await?;
        assert_eq!(broken(&seen).map(at), Some((Step::Tls, Sort::UnknownAuthority)));
        assert!(broken(&seen).is_some_and(|(.., why)| why.ends_with(" CN=Private Cloud")), "{seen:?}");
        let help = seen.answer.as_ref().err().map(|broken| broken.help.contains("AWS_CA_BUNDLE"));
        assert_eq!(help, Some(true));
        let evidence = serde_json::to_string(&seen.evidence())?;
        assert!(evidence.contains("\"notAfter\":\"4000-01-02T00:00:00Z\""), "{evidence}");
    }
    let seen = look(&url, &trusting(&pem)).await?;
    assert_eq!((status(&seen), seen.tls.as_deref()), (Some(403), Some("TLS 1.3")));
    assert_eq!(seen.chain.first().map(|server| server.names.clone()), Some(vec!["127.0.0.1".to_owned()]));
    // Another authority of the same name does not do.
    let seen = look(&url, &trusting(&other)).await?;
    assert_eq!(broken(&seen).map(at), Some((Step::Tls, Sort::UnknownAuthority)));
    Ok(())
}

#[tokio::test]
async fn certificates_of_another_name_or_time_are_refused() -> Outcome {
    let cases = [
        (["other.example"], (2020, 4000), Sort::OtherName, "other.example"),
        (["127.0.0.1"], (2020, 2024), Sort::Expired, "2024-01-02"),
        (["127.0.0.1"], (3999, 4000), Sort::NotYetValid, "3999-01-02"),
    ];
    for (names, years, sort, named) in cases {
        let (pem, tls) = certificate(&names, years, false)?;
        let (address, _) = server(PLAIN, Some(tls)).await?;
        let seen = look(&format!("https://{address}"), &trusting(&pem)).await?;
        assert_eq!(broken(&seen).map(at), Some((Step::Tls, sort)));
        assert!(broken(&seen).is_some_and(|(.., why)| why.ends_with(named)), "{seen:?}");
        assert_eq!(seen.chain.len(), 1);
    }
    let (pem, tls) = certificate(&["127.0.0.1"], (2020, 4000), true)?;
    let (address, _) = server(PLAIN, Some(tls)).await?;
    let seen = look(&format!("https://{address}"), &trusting(&pem)).await?;
    assert_eq!(broken(&seen).map(at), Some((Step::Tls, Sort::Tls)));
    assert!(broken(&seen).is_some_and(|(.., why)| why.contains("authority")), "{seen:?}");
    Ok(())
}

#[tokio::test]
async fn a_trusted_certificate_may_be_a_server_s_own() -> Outcome {
    let look_at = async |names: &[&str], years: (i32, i32), given: bool| -> Result<Probe, Box<dyn Error>> {
        let (pem, tls) = certificate(names, years, true)?;
        let (address, _) = server(PLAIN, Some(tls)).await?;
        let (other, _) = certificate(names, years, true)?;
        let trust = trusting(if given { &pem } else { &other }).of_servers();
        Ok(look(&format!("https://{address}"), &trust).await?)
    };
    assert_eq!(status(&look_at(&["127.0.0.1"], (2020, 4000), true).await?), Some(403));
    // All else is verified as ever.
    for (names, years, given, sort) in [
        (["127.0.0.1"], (2020, 4000), false, Sort::Tls),
        (["other.example"], (2020, 4000), true, Sort::OtherName),
        (["127.0.0.1"], (2020, 2024), true, Sort::Expired),
        (["127.0.0.1"], (3999, 4000), true, Sort::NotYetValid),
    ] {
        let seen = look_at(&names, years, given).await?;
        assert_eq!(broken(&seen).map(at), Some((Step::Tls, sort)), "{names:?} {years:?} {given}");
    }
    Ok(())
}

#[tokio::test]
async fn other_protocols_are_recognised() -> Outcome {
    let (plain, _) = server(PLAIN, None).await?;
    let seen = look(&format!("https://{plain}"), &trusting_nobody()).await?;
    assert_eq!(broken(&seen).map(at), Some((Step::Tls, Sort::NotTls)));
    let (ssh, _) = server("SSH-2.0-OpenSSH_9.2\r\n", None).await?;
    let seen = look(&format!("http://{ssh}"), &trusting_nobody()).await?;
    assert_eq!(broken(&seen).map(at), Some((Step::Http, Sort::NotHttp)));
    let (silent, _) = server("", None).await?;
    for (scheme, step) in [("https", Step::Tls), ("http", Step::Http)] {
        let seen = look(&format!("{scheme}://{silent}"), &trusting_nobody()).await?;
        assert_eq!(broken(&seen).map(at), Some((step, Sort::Closed)));
    }
    let seen = look("ftp://127.0.0.1", &trusting_nobody()).await?;
    assert_eq!(broken(&seen).map(at), Some((Step::Name, Sort::NotHttp)));
    assert!(broken(&seen).is_some_and(|(.., why)| why.contains("`ftp`")), "{seen:?}");
    Ok(())
}

#[tokio::test]
async fn a_proxy_leads_to_the_endpoint() -> Outcome {
    let (pem, tls) = certificate(&["127.0.0.1"], (2020, 4000), false)?;
    let (address, _) = server(PLAIN, Some(tls)).await?;
    let (proxy, mut told) = proxy().await?;
    let url = Url::parse(&format!("https://{address}"))?;
    let proxies = Proxies::of(&format!("http://user:canary-1@{proxy}"), "", "");
    let seen = probe(&url, &trusting(&pem), &proxies, AMPLE).await;
    assert_eq!((status(&seen), seen.tls.as_deref()), (Some(403), Some("TLS 1.3")));
    assert_eq!(seen.peer, Some(proxy.to_string()));
    assert_eq!(seen.proxy, Some(format!("http://{proxy}")));
    let sent = STANDARD.encode("user:canary-1");
    let head = told.recv().await.unwrap_or_default();
    assert!(head.starts_with(&format!("CONNECT {address} HTTP/1.1\r\n")), "{head}");
    assert!(head.contains(&format!("proxy-authorization: Basic {sent}\r\n")), "{head}");
    let shown = format!("{seen:?}{:?}", seen.evidence());
    assert!(!shown.contains("canary") && !shown.contains(&sent), "{shown}");
    // What it leads to is verified all the same.
    let seen = probe(&url, &trusting_nobody(), &proxies, AMPLE).await;
    assert_eq!(broken(&seen).map(at), Some((Step::Tls, Sort::UnknownAuthority)));
    let direct = Proxies::of(&format!("http://{proxy}"), "", "127.0.0.0/8");
    let seen = probe(&url, &trusting(&pem), &direct, AMPLE).await;
    assert_eq!((status(&seen), seen.proxy), (Some(403), None));
    Ok(())
}

#[tokio::test]
async fn a_proxy_that_does_not_pass_on_is_named() -> Outcome {
    let url = Url::parse("https://ec2.example.com")?;
    let nobody = trusting_nobody();
    let (proxy, _) = server(PLAIN, None).await?;
    let seen = probe(&url, &nobody, &Proxies::of(&format!("http://{proxy}"), "", ""), AMPLE).await;
    refused_by_proxy(&seen, &[&format!("http://{proxy}"), "403 Forbidden", "ec2.example.com:443"]);
    let locked = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
    let (proxy, _) = server(locked, None).await?;
    let proxies = Proxies::of(&format!("http://{proxy}"), &format!("http://{proxy}"), "");
    for url in [&url, &Url::parse("http://ec2.example.com")?] {
        let seen = probe(url, &nobody, &proxies, AMPLE).await;
        refused_by_proxy(&seen, &[&format!("http://{proxy}"), "password"]);
    }
    let socks = Proxies::of(&format!("socks5://{proxy}"), "", "");
    let seen = probe(&url, &nobody, &socks, AMPLE).await;
    refused_by_proxy(&seen, &[&format!("socks5://{proxy}"), "HTTP"]);
    Ok(())
}

/// Fails unless a proxy is what is broken, for a reason that names all of these.
#[track_caller]
fn refused_by_proxy(seen: &Probe, named: &[&str]) {
    assert_eq!(broken(seen).map(at), Some((Step::Proxy, Sort::ProxyRefused)));
    assert_names(broken(seen).map(|(.., why)| why).unwrap_or_default(), named);
}

#[tokio::test]
async fn a_proxy_passes_plain_requests_on() -> Outcome {
    let (proxy, asked) = server(PLAIN, None).await?;
    let url = Url::parse("http://ec2.example.com/x")?;
    let seen = probe(&url, &trusting_nobody(), &Proxies::of("", &format!("http://{proxy}"), ""), AMPLE).await;
    assert_eq!((status(&seen), asked.load(Ordering::SeqCst)), (Some(403), 1));
    Ok(())
}

#[test]
fn roots_add_up_and_bad_ones_are_reported() -> Outcome {
    let (first, _) = certificate(&["first.example"], (2020, 4000), true)?;
    let (second, _) = certificate(&["second.example"], (2020, 4000), true)?;
    let key = KeyPair::generate()?.serialize_pem();
    let nonsense = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let extra = |name: &'static str, text: &str| Extra { name, pem: Some(text.as_bytes().to_vec()) };
    let extras = [
        extra("a", &format!("# both\n{first}\n{second}{first}")),
        extra("b", &first),
        extra("c", &format!("{key}{nonsense}")),
        extra("d", "no PEM at all"),
        extra("e", "-----BEGIN CERTIFICATE-----\nAAAA\n"),
        Extra { name: "f", pem: None },
    ];
    let trust = Trust::of(Vec::new(), &extras, Vec::new());
    let sources: Vec<(&str, usize)> =
        trust.sources().iter().map(|source| (source.name.as_str(), source.certificates)).collect();
    assert_eq!(sources, [("system", 0), ("a", 3), ("b", 1), ("c", 0), ("d", 0), ("e", 0)]);
    let expected =
        [("c", "block 1 "), ("c", "block 2 "), ("d", "certificate"), ("e", "block 1 "), ("f", "file")];
    let faults: Vec<&str> = trust.faults().iter().map(|fault| fault.name.as_str()).collect();
    assert_eq!(faults, expected.map(|(name, _)| name));
    for (fault, (_, part)) in trust.faults().iter().zip(expected) {
        assert_names(&fault.why, &[part]);
    }
    let sentences = trust.faults().iter().map(|fault| (fault.name.clone(), fault.why.clone()));
    landfall_testing::assert_sentences("trust", sentences);
    assert_eq!(trust.roots().len(), 2);
    assert_eq!(trust.pem().matches("-----BEGIN CERTIFICATE-----").count(), 2);
    assert!(!trust.pem().contains("PRIVATE") && trust.client_config().is_ok());
    Ok(())
}

#[test]
fn whatever_is_given_extends_the_system_s() -> Outcome {
    let (pem, _) = certificate(&["first.example"], (2020, 4000), true)?;
    assert!(!trusting_nobody().is_extended());
    assert!(trusting(&pem).is_extended() && trusting("no PEM at all").is_extended());
    let unread = Extra { name: "AWS_CA_BUNDLE (/ca.pem)", pem: None };
    assert!(Trust::of(Vec::new(), &[unread], Vec::new()).is_extended());
    Ok(())
}

#[test]
fn given_roots_come_to_the_system_s() -> Outcome {
    let (pem, _) = certificate(&["first.example"], (2020, 4000), true)?;
    for replaced in [false, true] {
        let alone = Trust::gather(replaced, &[]).roots().len();
        let extra = Extra { name: "AWS_CA_BUNDLE", pem: Some(pem.clone().into_bytes()) };
        assert_eq!(Trust::gather(replaced, &[extra]).roots().len(), alone + 1);
    }
    Ok(())
}
