//! `sshKey`: `docs/install-config.md`, section 7.1. Nothing of a key is ever put into a message.

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::GeneralPurposeConfig;
use base64::engine::{GeneralPurpose, general_purpose::PAD};
use landfall_diagnostics::{Code, Finding, Findings, Kind, Severity};
use ssh_key::public::KeyData;
use ssh_key::{Certificate, PublicKey};

use super::Case;

/// A line is not a public key.
const KEY: Code = Code::new("LF0106");
/// The key's type is not FIPS validated.
const FIPS_KEY: Code = Code::new("LF0107");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let text = case.config.ssh_key.expose();
    if text.is_empty() {
        return;
    }
    let help = "paste the content of a .pub file, such as ~/.ssh/id_ed25519.pub";
    if case.config.fips {
        match text.split('\n').find_map(parse_line) {
            None => {
                let message = "no line of `sshKey` is a public SSH key";
                out.push(Finding::error(&KEY, Kind::Invalid, "sshKey", message).help(help));
            }
            Some(kind) if !is_fips(&kind) => {
                let message = format!("a key of type `{kind}` cannot be used with `fips: true`");
                out.push(
                    Finding::error(&FIPS_KEY, Kind::Invalid, "sshKey", message)
                        .help("use an RSA or ECDSA key: ssh-keygen -t ecdsa"),
                );
            }
            Some(_) => {}
        }
        return;
    }
    for (number, line) in text.split('\n').enumerate() {
        if out.is_full(Severity::Error) {
            return;
        }
        if !line.is_empty() && parse_line(line).is_none() {
            let message = if line.contains("PRIVATE KEY") {
                "`sshKey` contains a private key".to_owned()
            } else {
                format!("line {} of `sshKey` is not a public SSH key", number + 1)
            };
            out.push(Finding::error(&KEY, Kind::Invalid, "sshKey", message).help(help));
        }
    }
}

fn is_fips(kind: &str) -> bool {
    kind == "ssh-rsa"
        || kind
            .strip_prefix("ecdsa-sha2-nistp")
            .is_some_and(|size| size.len() == 3 && size.bytes().all(|b| b.is_ascii_digit()))
}

/// As Go reads Base64: bits that are over at the end do not matter.
static BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const LENIENT: GeneralPurposeConfig = PAD.with_decode_allow_trailing_bits(true);

/// The type of the key that a line of an authorized-keys text holds.
///
/// As Go's `ssh.ParseAuthorizedKey` reads a line: the word before the data may be anything, and options
/// may stand before it.
fn parse_line(line: &str) -> Option<String> {
    let line = line.split('\r').next().unwrap_or(line).trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (_, data) = line.split_once([' ', '\t'])?;
    parse_data(data).or_else(|| {
        let after_options = line[options_end(line)..].trim_start_matches([' ', '\t']);
        let (_, data) = after_options.split_once([' ', '\t'])?;
        parse_data(data)
    })
}

/// Where the options at the beginning of a line end: at the first blank outside quotes.
fn options_end(line: &str) -> usize {
    let mut quoted = false;
    let mut previous = ' ';
    for (at, c) in line.char_indices() {
        if !quoted && (c == ' ' || c == '\t') {
            return at;
        }
        if c == '"' && previous != '\\' {
            quoted = !quoted;
        }
        previous = c;
    }
    line.len()
}

/// The type of the key in the first word of `text`.
fn parse_data(text: &str) -> Option<String> {
    let blob = BASE64.decode(text.trim().split([' ', '\t']).next()?).ok()?;
    match PublicKey::from_bytes(&blob) {
        Ok(key) => match key.key_data() {
            KeyData::Other(_) => None,
            data => Some(data.algorithm().as_str().to_owned()),
        },
        Err(_) => Certificate::from_bytes(&blob)
            .ok()
            .map(|certificate| certificate.algorithm().to_certificate_type()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_line;

    const DATA: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIBERERERERERERERERERERERERERERERERERERERERER";

    #[test]
    fn reads_lines_as_authorized_keys() {
        for line in [
            format!("ssh-ed25519 {DATA}"),
            format!("whatever {DATA} me@example.com"),
            format!("command=\"a b\",no-pty ssh-ed25519 {DATA}\r"),
        ] {
            assert_eq!(parse_line(&line).as_deref(), Some("ssh-ed25519"), "{line}");
        }
        for line in ["", "   ", "# comment", "ssh-ed25519", "ssh-ed25519 AAAA", DATA] {
            assert_eq!(parse_line(line), None, "{line}");
        }
    }
}
