//! `sshKey`: `docs/install-config.md`, section 7.1. Nothing of a key is ever put into a message.

use aws_lc_rs::agreement::{Algorithm, ECDH_P256, ECDH_P384, ECDH_P521, ParsedPublicKey, UnparsedPublicKey};
use base64::engine::general_purpose::GeneralPurposeConfig;
use base64::engine::{GeneralPurpose, general_purpose::PAD};
use base64::{Engine, alphabet};
use landfall_diagnostics::{Code, Finding, Findings, Kind, Severity};

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
pub(super) static BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
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
    let mut fields = Fields(&blob);
    let kind = fields.word()?;
    let found = match kind.strip_suffix(CERTIFICATE) {
        Some(short) if short.starts_with("sk-") => fields.certificate(&format!("{short}@openssh.com")),
        Some(short) => fields.certificate(short),
        None => return fields.whole_key(kind),
    };
    found.filter(|()| fields.0.is_empty()).map(|()| kind.to_owned())
}

const CERTIFICATE: &str = "-cert-v01@openssh.com";

/// What is left of binary data in SSH's form, read as Go's `ssh.ParsePublicKey` does.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    /// A string, which begins with its length.
    fn string(&mut self) -> Option<&'a [u8]> {
        let length = u32::from_be_bytes(self.bytes(4)?.try_into().ok()?);
        self.bytes(usize::try_from(length).ok()?)
    }

    fn word(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.string()?).ok()
    }

    /// The digits of a number that is not negative, without leading zeros.
    fn number(&mut self) -> Option<&'a [u8]> {
        let bytes = self.string().filter(|bytes| bytes.first().is_none_or(|first| *first < 0x80))?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        bytes.get(zeros..)
    }

    /// The type of a key with nothing after it.
    fn whole_key(&mut self, kind: &str) -> Option<String> {
        self.key(kind).filter(|_| self.0.is_empty())
    }

    /// The type of the key, which for an elliptic curve is that of the curve.
    fn key(&mut self, kind: &str) -> Option<String> {
        match kind {
            "ssh-rsa" => {
                let is_odd = |digits: &[u8]| digits.last().is_some_and(|last| last % 2 == 1);
                self.number().filter(|digits| digits.len() <= 3 && is_odd(digits) && *digits != [1])?;
                self.string()?;
            }
            "ssh-dss" => {
                self.number().filter(|p| p.len() == 128 && p.first().is_some_and(|first| *first >= 0x80))?;
                (0..3).try_for_each(|_| self.string().map(|_| ()))?;
            }
            "ecdsa-sha2-nistp256" | "ecdsa-sha2-nistp384" | "ecdsa-sha2-nistp521" => {
                let curve = self.word()?;
                let algorithm = match curve {
                    "nistp256" => &ECDH_P256,
                    "nistp384" => &ECDH_P384,
                    "nistp521" => &ECDH_P521,
                    _ => return None,
                };
                self.string().filter(|point| is_point(algorithm, point))?;
                return Some(format!("ecdsa-sha2-{curve}"));
            }
            "sk-ecdsa-sha2-nistp256@openssh.com" => {
                self.word().filter(|curve| *curve == "nistp256")?;
                self.string().filter(|point| is_point(&ECDH_P256, point))?;
                self.string()?;
            }
            "ssh-ed25519" => {
                self.string().filter(|key| key.len() == 32)?;
            }
            "sk-ssh-ed25519@openssh.com" => {
                self.string().filter(|key| key.len() == 32)?;
                self.string()?;
            }
            _ => return None,
        }
        Some(kind.to_owned())
    }

    /// The fields of a certificate of a key of this type.
    fn certificate(&mut self, kind: &str) -> Option<()> {
        self.string()?;
        self.key(kind)?;
        // Serial number and type, the key's name, and who may use it in which time.
        self.bytes(12)?;
        self.string()?;
        let mut principals = Self(self.string()?);
        while !principals.0.is_empty() {
            principals.string()?;
        }
        self.bytes(16)?;
        (0..2).try_for_each(|_| Self(self.string()?).options())?;
        self.string()?;
        let mut signer = Self(self.string()?);
        let signer_kind = signer.word()?;
        signer.whole_key(signer_kind)?;
        let mut signature = Self(self.string()?);
        let is_long = signature.word()?.starts_with("sk-");
        signature.string()?;
        (is_long || signature.0.is_empty()).then_some(())
    }

    /// Options in the order of their names, each with nothing or a string as its value.
    fn options(mut self) -> Option<()> {
        let mut before = None;
        while !self.0.is_empty() {
            let name = self.string().filter(|name| before.is_none_or(|before| before < *name))?;
            before = Some(name);
            let mut value = Self(self.string()?);
            if !value.0.is_empty() {
                value.string()?;
            }
            if !value.0.is_empty() {
                return None;
            }
        }
        Some(())
    }
}

/// Whether `point` is one of the curve, and not compressed.
pub(super) fn is_point(curve: &'static Algorithm, point: &[u8]) -> bool {
    point.first() == Some(&4) && ParsedPublicKey::try_from(UnparsedPublicKey::new(curve, point)).is_ok()
}

#[cfg(test)]
mod tests {
    use base64::Engine;

    use super::{BASE64, parse_line};

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

    /// Fields in SSH's form.
    fn pack(fields: &[&[u8]]) -> Vec<u8> {
        let length = |field: &[u8]| u32::try_from(field.len()).unwrap_or_default().to_be_bytes();
        fields.iter().flat_map(|field| [&length(field)[..], field].concat()).collect()
    }

    /// A line with a key of these fields.
    fn line(fields: &[&[u8]]) -> String {
        format!("word {}", BASE64.encode(pack(fields)))
    }

    /// A point of P-256: its generator.
    const POINT: &str = "04\
        6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\
        4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";

    #[test]
    fn reads_keys_as_go_does() {
        let modulus = [0xa5; 256];
        let point: Vec<u8> =
            (0..65).filter_map(|at| u8::from_str_radix(POINT.get(at * 2..at * 2 + 2)?, 16).ok()).collect();
        let mut off_curve = point.clone();
        off_curve.pop();
        off_curve.push(0);
        let compressed = [&[3][..], point.get(1..33).unwrap_or_default()].concat();
        let curve = |kind: &str, point: &[u8]| line(&[kind.as_bytes(), b"nistp256", point]);
        let rsa = |kind: &str, exponent: &[u8]| line(&[kind.as_bytes(), exponent, &modulus]);
        let dsa = |size: usize| line(&[b"ssh-dss", &[&[0][..], &modulus[..size]].concat(), b"q", b"g", b"y"]);
        for (line, want) in [
            (rsa("ssh-rsa", &[1, 0, 1]), Some("ssh-rsa")),
            (rsa("ssh-rsa", &[0, 0, 0, 1, 0, 1]), Some("ssh-rsa")),
            (rsa("ssh-rsa", &[1]), None),
            (rsa("ssh-rsa", &[4]), None),
            (rsa("ssh-rsa", &[0x83]), None),
            (rsa("ssh-rsa", &[1, 0, 0, 1]), None),
            (rsa("rsa-sha2-512", &[1, 0, 1]), None),
            (dsa(128), Some("ssh-dss")),
            (dsa(256), None),
            (curve("ecdsa-sha2-nistp256", &point), Some("ecdsa-sha2-nistp256")),
            (curve("ecdsa-sha2-nistp521", &point), Some("ecdsa-sha2-nistp256")),
            (curve("ecdsa-sha2-nistp256", &off_curve), None),
            (curve("ecdsa-sha2-nistp256", &compressed), None),
        ] {
            assert_eq!(parse_line(&line).as_deref(), want, "{line}");
        }
    }

    #[test]
    fn reads_certificates_as_go_does() {
        let key = pack(&[b"ssh-ed25519", &[5; 32]]);
        let signature = pack(&[b"ssh-ed25519", &[7; 64]]);
        let certificate = |until: u64, signer: &[u8]| {
            let start = pack(&[b"ssh-ed25519-cert-v01@openssh.com", b"nonce", &[5; 32]]);
            let dates = [&[0; 8][..], &until.to_be_bytes()[..]].concat();
            let name = pack(&[b"name", &pack(&[b"user"])]);
            let tail = pack(&[b"", &pack(&[b"permit-pty", b""]), b"", signer, &signature]);
            format!("word {}", BASE64.encode([start, vec![0; 12], name, dates, tail].concat()))
        };
        let kind = "ssh-ed25519-cert-v01@openssh.com";
        assert_eq!(parse_line(&certificate(u64::MAX, &key)).as_deref(), Some(kind));
        assert_eq!(parse_line(&certificate(0, b"ssh-ed25519")), None);
    }
}
