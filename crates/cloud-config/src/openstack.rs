//! `OpenStack`'s text: what the cluster's credentials need, in place of what the older provider needed.

use ::ini::{Ini, ParseOption, Properties};

use super::Fault;
use super::ini::aligned;

/// What `[Global]` of the older form must say, since it goes: absent is as good as empty.
const LEGACY: [(&str, &str); 3] =
    [("secret-name", "openstack-credentials"), ("secret-namespace", "kube-system"), ("kubeconfig-path", "")];

/// What `[Global]` says afterwards.
const CREDENTIALS: [(&str, &str); 3] =
    [("use-clouds", "true"), ("clouds-file", "/etc/openstack/secret/clouds.yaml"), ("cloud", "openstack")];

/// What `[LoadBalancer]` says where the user does not.
const LOAD_BALANCER: [(&str, &str); 2] = [("max-shared-lb", "1"), ("manage-security-groups", "true")];

/// The text for the cloud controller manager. Comments are lost, and quotes that no value needs.
///
/// # Errors
/// The text cannot be read, or a setting that must be removed is not as the cluster created it.
pub(super) fn ccm(text: &str) -> Result<String, Fault> {
    let mut file = read(text)?;
    if let Some(global) = file.section_mut(Some("Global")) {
        for (key, expected) in LEGACY {
            // The last one counts.
            let given = global.remove_all(key).next_back().unwrap_or_default();
            if given != expected {
                return Err(Fault::LegacySettingChanged(key));
            }
        }
    }
    let global = section(&mut file, "Global");
    for (key, value) in CREDENTIALS {
        global.insert(key, value);
    }
    file.delete(Some("BlockStorage"));
    let balancer = section(&mut file, "LoadBalancer");
    balancer.remove_all("use-octavia").for_each(drop);
    for (key, value) in LOAD_BALANCER {
        if !balancer.contains_key(key) {
            balancer.insert(key, value);
        }
    }
    Ok(write(&file))
}

/// Reads the text, repeated sections as one.
fn read(text: &str) -> Result<Ini, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // The reader takes comments for keys or values unless they fill a line from its start.
    let text = text.lines().map(|line| without_comment(line).trim()).collect::<Vec<_>>().join("\n");
    // Quotes and escapes are the provider's to read.
    let raw = ParseOption { enabled_quote: false, enabled_escape: false, ..ParseOption::default() };
    let parsed =
        Ini::load_from_str_opt(&text, raw).map_err(|fault| unreadable(&format!("line {}: ", fault.line)))?;
    let mut file = Ini::new();
    for (name, properties) in parsed {
        // It also takes a line that is none of an INI file's for the beginning of the next.
        if name.as_ref().is_some_and(|name| name.contains('\n') || name.trim().is_empty())
            || properties.iter().any(|(key, _)| key.contains('\n'))
        {
            return Err(unreadable(""));
        }
        let section = file.entry(name).or_insert_with(Properties::new);
        for (key, value) in properties {
            section.append(key, bare(&value).to_owned());
        }
    }
    Ok(file)
}

fn unreadable(place: &str) -> Fault {
    Fault::ConfigUnreadable(format!("{place}neither a section nor a key with a value"))
}

/// The section of that name, created at the end if necessary.
fn section<'a>(file: &'a mut Ini, name: &str) -> &'a mut Properties {
    file.entry(Some(name.to_owned())).or_insert_with(Properties::new)
}

/// The line up to a comment that is not in double quotes.
fn without_comment(line: &str) -> &str {
    let (mut quoted, mut escaped) = (false, false);
    let comment = line.find(|c: char| {
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        !quoted && matches!(c, ';' | '#')
    });
    comment.map_or(line, |comment| line.split_at(comment).0)
}

/// A value without quotes around it, as ordinary readers of INI take it, unless something in it needs them.
fn bare(value: &str) -> &str {
    let between = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    let inner = between('"').or_else(|| between('\'')).unwrap_or(value);
    let is_plain = inner.trim() == inner && !inner.contains(['"', '\'', '\\', ';', '#', '\t']);
    if is_plain { inner } else { value }
}

fn write(file: &Ini) -> String {
    let sections = file.iter().filter_map(|(name, properties)| {
        let lines: Vec<_> = properties.iter().map(|(key, value)| (key, value.to_owned())).collect();
        match name {
            Some(name) => Some(format!("[{name}]\n{}", aligned(&lines))),
            None if lines.is_empty() => None,
            None => Some(aligned(&lines)),
        }
    });
    sections.collect::<Vec<_>>().join("\n")
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
            "[Global]\nca-file     = /x\nlate        = 1\nregion      = a b\n{GLOBAL}\n\
             [LoadBalancerClass \"a;b\"]\nPath = C:\\new\nsub  = \"a # b\"\nsub  = it's\n\n{BALANCER}"
        );
        assert_eq!(ccm(&own)?, expected);
        assert_eq!(ccm("a = b\n")?, format!("a = b\n\n[Global]\n{GLOBAL}\n{BALANCER}"));
        Ok(())
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
        ] {
            let fault = ccm(wrong).map_err(|fault| (fault.name(), fault.to_string().contains("hidden")));
            assert_eq!(fault, Err(("config-unreadable", false)), "{wrong}");
        }
    }
}
