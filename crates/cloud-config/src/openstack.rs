//! `OpenStack`'s text: what the cluster's credentials need, in place of what the older provider needed.

use super::Fault;
use super::ini::{aligned, quoted};

/// What `[Global]` of the older form must say, since it goes: absent is as good as empty.
const LEGACY: [(&str, &str); 3] =
    [("secret-name", "openstack-credentials"), ("secret-namespace", "kube-system"), ("kubeconfig-path", "")];

/// What `[Global]` says afterwards.
const CREDENTIALS: [(&str, &str); 3] =
    [("use-clouds", "true"), ("clouds-file", "/etc/openstack/secret/clouds.yaml"), ("cloud", "openstack")];

/// What `[LoadBalancer]` says where the user does not.
const LOAD_BALANCER: [(&str, &str); 2] = [("max-shared-lb", "1"), ("manage-security-groups", "true")];

/// The section whose keys are in front of all headers.
const DEFAULT: &str = "DEFAULT";

/// The text for the cloud controller manager. Quotes that no value needs are lost, and comments behind the last key.
///
/// # Errors
/// The text cannot be read, or a setting that must be removed is not as the cluster created it.
pub(super) fn ccm(text: &str) -> Result<String, Fault> {
    let mut file = File::read(text)?;
    let global = file.sections.iter_mut().find(|section| section.name == "Global");
    if let Some(global) = global {
        for (key, expected) in LEGACY {
            if global.remove(key).unwrap_or_default() != expected {
                return Err(Fault::LegacySettingChanged(key));
            }
        }
    }
    let global = file.section("Global");
    for (key, value) in CREDENTIALS {
        global.set(key, value);
    }
    file.sections.retain(|section| section.name != "BlockStorage");
    let balancer = file.section("LoadBalancer");
    balancer.remove("use-octavia");
    for (key, value) in LOAD_BALANCER {
        if !balancer.settings.iter().any(|setting| setting.key == key) {
            balancer.set(key, value);
        }
    }
    Ok(file.write())
}

/// A text as go-ini understands it, which reads and writes these texts in the operator of `OpenShift`.
struct File {
    /// The default section first.
    sections: Vec<Section>,
}

#[derive(Default)]
struct Section {
    name: String,
    /// The lines in front of its header.
    comment: String,
    settings: Vec<Setting>,
}

struct Setting {
    key: String,
    /// The value as it is written.
    value: String,
    /// The lines in front of it.
    comment: String,
}

impl File {
    /// Reads the text, repeated sections as one. Repeated keys stay, which go-ini would drop: to the provider, some are
    /// lists. A comment belongs to the next key or header.
    fn read(text: &str) -> Result<Self, Fault> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut file = Self { sections: vec![Section { name: DEFAULT.to_owned(), ..Section::default() }] };
        let mut current = DEFAULT.to_owned();
        let mut comment = String::new();
        let mut lines = (1..).zip(text.split_inclusive('\n'));
        while let Some((number, line)) = lines.next() {
            let line = line.trim_start();
            let unreadable = || unreadable(number);
            if line.starts_with(['#', ';']) {
                note(&mut comment, line);
            } else if let Some(header) = line.strip_prefix('[') {
                // A comment may have brackets, too.
                let end = without_comment(header).rfind(']').or_else(|| header.rfind(']'));
                let (name, rest) = header.split_at(end.filter(|end| *end > 0).ok_or_else(unreadable)?);
                note(&mut comment, rest);
                name.clone_into(&mut current);
                file.section(name).comment = std::mem::take(&mut comment);
            } else if !line.is_empty() {
                let (key, rest) = key(line).filter(|(key, _)| !key.is_empty()).ok_or_else(unreadable)?;
                let mut next = lines.by_ref().map(|(_, line)| line);
                let value = value(rest, &mut next, &mut comment).ok_or_else(unreadable)?;
                let (key, comment) = (key.to_owned(), std::mem::take(&mut comment));
                file.section(&current).settings.push(Setting { key, value, comment });
            }
        }
        Ok(file)
    }

    /// The section of that name, created at the end if necessary.
    fn section(&mut self, name: &str) -> &mut Section {
        let found = self.sections.iter().position(|section| section.name == name);
        let at = found.unwrap_or_else(|| {
            self.sections.push(Section { name: name.to_owned(), ..Section::default() });
            self.sections.len() - 1
        });
        &mut self.sections[at]
    }

    fn write(&self) -> String {
        let sections = self.sections.iter().map(|Section { name, comment, settings }| {
            let header = if name == DEFAULT { String::new() } else { format!("[{name}]\n") };
            let keys: Vec<String> = settings.iter().map(Setting::written_key).collect();
            let pairs = keys.iter().zip(settings).map(|(key, setting)| (key.as_str(), setting.value.clone()));
            let lines = aligned(&pairs.collect::<Vec<_>>());
            let lines = lines.split_inclusive('\n').zip(settings);
            let lines = lines.map(|(line, setting)| format!("{}{line}", setting.comment));
            format!("{comment}{header}{}", lines.collect::<Vec<_>>().concat())
        });
        sections.filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

impl Section {
    /// Sets a value in the first place that has it, else at the end.
    fn set(&mut self, key: &str, value: &str) {
        let mut is_first = true;
        self.settings.retain(|setting| setting.key != key || std::mem::take(&mut is_first));
        if let Some(setting) = self.settings.iter_mut().find(|setting| setting.key == key) {
            value.clone_into(&mut setting.value);
        } else {
            let (key, value) = (key.to_owned(), value.to_owned());
            self.settings.push(Setting { key, value, comment: String::new() });
        }
    }

    /// Takes a setting out with its comments. Where it is repeated, the last one counts.
    fn remove(&mut self, key: &str) -> Option<String> {
        self.settings.extract_if(.., |setting| setting.key == key).last().map(|setting| setting.value)
    }
}

impl Setting {
    /// The key in the quotes that it needs.
    fn written_key(&self) -> String {
        let key = &self.key;
        if key.contains(['"', '=', ':']) { format!("`{key}`") } else { key.clone() }
    }
}

fn unreadable(line: usize) -> Fault {
    Fault::ConfigUnreadable(format!("line {line}: neither a section nor a key with a value"))
}

/// Adds the comment that is in this text, if there is one, as a line.
fn note(comment: &mut String, text: &str) {
    let Some(at) = text.find(['#', ';']) else { return };
    let (mark, words) = text.split_at(at).1.split_at(1);
    comment.extend([mark, " ", words.trim(), "\n"]);
}

/// The key of a line, which may be in quotes, and what follows the sign behind it.
fn key(line: &str) -> Option<(&str, &str)> {
    let in_quotes = |quote: char| line.strip_prefix(quote)?.split_once(quote);
    if line.starts_with(['"', '`']) {
        let (key, rest) = in_quotes('"').or_else(|| in_quotes('`'))?;
        return Some((key.trim(), rest.split_once(['=', ':'])?.1));
    }
    let (key, rest) = line.split_once(['=', ':'])?;
    Some((key.trim(), rest))
}

/// The value of a key as it is written, which may go on in the next lines; none where its quotes stay open. What else
/// is in quotes or has escapes is the provider's to read.
fn value<'a>(rest: &str, lines: &mut impl Iterator<Item = &'a str>, comment: &mut String) -> Option<String> {
    let mut given = rest.trim_start().to_owned();
    for quote in [r#"""""#, "`"] {
        if let Some(inner) = given.strip_prefix(quote) {
            let mut inner = inner.to_owned();
            while !inner.contains(quote) {
                inner.push_str(lines.next()?);
            }
            return inner.rsplit_once(quote).map(|(value, _)| quoted(value));
        }
    }
    while let Some(before) = given.trim_end().strip_suffix('\\') {
        let next = lines.next().unwrap_or_default();
        given = format!("{before}{}", next.trim());
    }
    let value = without_comment(&given);
    note(comment, given.split_at(value.len()).1);
    let value = value.trim();
    let between = |quote: char| {
        let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    };
    let inner = between('"').filter(|inner| !inner.contains('\\')).or_else(|| between('\''));
    Some(match inner {
        Some(inner) => quoted(inner),
        None if value.contains(['"', '\\', ';', '#']) => value.to_owned(),
        None => quoted(value),
    })
}

/// The line up to a comment that is not in double quotes.
fn without_comment(line: &str) -> &str {
    let (mut in_quotes, mut escaped) = (false, false);
    let comment = line.find(|c: char| {
        in_quotes ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        !in_quotes && matches!(c, ';' | '#')
    });
    comment.map_or(line, |comment| line.split_at(comment).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BALANCER: &str = "[LoadBalancer]\nmax-shared-lb          = 1\nmanage-security-groups = true\n";
    const GLOBAL: &str =
        "use-clouds  = true\nclouds-file = /etc/openstack/secret/clouds.yaml\ncloud       = openstack\n";
    const SECRET: &str = "[Global]\nsecret-name = openstack-credentials\nsecret-namespace = kube-system\n";

    #[test]
    fn the_credentials_take_the_place_of_the_secret() {
        let own = format!(
            "{SECRET}kubeconfig-path =\nregion = r\n[BlockStorage]\nx = y\n[LoadBalancer]\n\
             use-octavia = True\nfloating-network-id = f\nmax-shared-lb = 7\n"
        );
        let expected = format!(
            "[Global]\nregion      = r\n{GLOBAL}\n[LoadBalancer]\nfloating-network-id    = f\n\
             max-shared-lb          = 7\nmanage-security-groups = true\n"
        );
        assert_eq!(ccm(&own), Ok(expected));
        assert_eq!(ccm(""), Ok(format!("[Global]\n{GLOBAL}\n{BALANCER}")));
        assert_eq!(
            ccm("[Networking]\na = b\n"),
            Ok(format!("[Networking]\na = b\n\n[Global]\n{GLOBAL}\n{BALANCER}"))
        );
    }

    #[test]
    fn another_secret_is_a_fault() {
        let changed = |text: &str| ccm(text).map_err(|fault| fault.to_string().contains("secret-name`"));
        assert_eq!(changed("[Global]\nsecret-name = mine\nsecret-namespace = kube-system\n"), Err(true));
        assert_eq!(changed("[Global]\n"), Err(true));
        assert_eq!(changed("[Global]\nsecret-name = openstack-credentials\n"), Err(false));
        let path = ccm(&format!("{SECRET}kubeconfig-path = /x\n"));
        assert_eq!(path, Err(Fault::LegacySettingChanged("kubeconfig-path")));
        assert!(
            ccm("[Global]\nsecret-name = \"openstack-credentials\" ; ours\nsecret-namespace=kube-system")
                .is_ok()
        );
    }

    #[test]
    fn what_nobody_knows_stays_as_it_is_written() -> Result<(), Fault> {
        let own = format!(
            "\u{feff}  # mine\r\n{SECRET}  # indented = comment\n\tca-file=/x\n[LoadBalancerClass \"a;b\"] \
             # more\nPath : C:\\new;gone\nsub = \"a # b\"\nsub = it's\n[Global]\nlate = '1'\nregion = \"a b\"\n"
        );
        let expected = format!(
            "[Global]\n# indented = comment\nca-file     = /x\nlate        = 1\nregion      = a b\n{GLOBAL}\n\
             # more\n[LoadBalancerClass \"a;b\"]\n; gone\nPath = C:\\new\nsub  = \"a # b\"\nsub  = it's\n\n{BALANCER}"
        );
        assert_eq!(ccm(&own)?, expected);
        assert_eq!(ccm("a = b\n")?, format!("a = b\n\n[Global]\n{GLOBAL}\n{BALANCER}"));
        Ok(())
    }

    #[test]
    fn comments_stay_with_the_next_key_or_header() {
        let own = "# head\n[Global] ; all\n# name\nsecret-name = openstack-credentials\nsecret-namespace = \
                   kube-system\n\n#note\nregion = r ;x\ncloud = other\n# old\n[BlockStorage]\n; x\nx = 1\n\
                   #\n[Route]\n# gone\n";
        let expected = format!(
            "# head\n; all\n[Global]\n# note\n; x\nregion      = r\ncloud       = openstack\nuse-clouds  = true\n\
             clouds-file = /etc/openstack/secret/clouds.yaml\n\n# \n[Route]\n\n{BALANCER}"
        );
        assert_eq!(ccm(own), Ok(expected));
    }

    #[test]
    fn values_and_headers_are_read_as_the_operator_reads_them() {
        for (given, written) in [
            ("[R]\na = 1\nb = 2\na = 3", "[R]\na = 1\nb = 2\na = 3"),
            ("[R]\na = `b`\nc = \"\"\"d\"\"\"", "[R]\na = b\nc = d"),
            ("[R]\na = `b#c`\nd = 'e;f'", "[R]\na = \"b#c\"\n; f'\nd = 'e"),
            ("[R]\na = \"\"\"b\nc\"\"\"\nd = e`f", "[R]\na = \"b\\nc\"\nd = \"\"\"e`f\"\"\""),
            ("[R]\na = ' b '\nc = \"'d'\"", "[R]\na = \" b \"\nc = 'd'"),
            ("[R]\na = \"b\\\"c\"", "[R]\na = \"b\\\"c\""),
            ("[R]\na = b\\\n c\nd = e\\", "[R]\na = bc\nd = e"),
            ("[R] junk\na = b\n[R]x]", "[R]\na = b\n\n[R]x]"),
            ("[ R ] # [1]\n- = a\n- = b", "# [1]\n[ R ]\n- = a\n- = b"),
            ("[R]\na = b\n[DEFAULT]\nc = d", "c = d\n\n[R]\na = b"),
            ("[R]\n\"a\" = b\n`c=d`: e", "[R]\na     = b\n`c=d` = e"),
        ] {
            let expected = format!("{written}\n\n[Global]\n{GLOBAL}\n{BALANCER}");
            assert_eq!(ccm(given), Ok(expected), "{given}");
        }
    }

    #[test]
    fn invalid_ini_is_reported_without_quoting_it() {
        for wrong in [
            "hidden",
            "[hidden",
            "[]\nhidden = x",
            "= hidden",
            "[a]\nhidden\nb = c",
            "[hid\nden]\n",
            "[a]\nb = c\nhidden\n",
            "[a]\nb = `hidden\n",
            "[a]\nb = \"\"\"hidden\nc = d\n",
        ] {
            let fault = ccm(wrong).map_err(|fault| (fault.name(), fault.to_string().contains("hidden")));
            assert_eq!(fault, Err(("config-unreadable", false)), "{wrong}");
        }
    }
}
