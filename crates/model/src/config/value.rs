//! The values that fields are made of: networks, times, strict text, and what "not given" means.

pub mod instant;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

use ipnet::IpNet;
use landfall_diagnostics::secret::{REDACTED, Secret, SecretUrl};
use landfall_source::{Check, FormFault, Mask, STRICT_TEXT_NAME};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The forms that are checked while a file is read, by newtype name.
pub const FORMS: &[(&str, Check)] = &[(NETWORK_NAME, check_network), (TIME_NAME, check_time)];

const NETWORK_NAME: &str = "$network";
const TIME_NAME: &str = "$time";

/// Whether a value is the one that a field has when nothing is given. Such fields are not written.
pub trait Zero: Default + PartialEq {
    /// Whether the value says nothing.
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

macro_rules! zero {
    ($($ty:ty),*) => { $(impl Zero for $ty {})* };
}

zero! { bool, i32, i64, u32, String, SecretUrl, Secret<String>, Network, StrictText, Time }

impl<T: PartialEq> Zero for Vec<T> {}
impl<V: PartialEq> Zero for BTreeMap<String, V> {}
impl<T: PartialEq> Zero for Option<T> {}

/// The schema of a type, which is written wherever the type is used.
macro_rules! schema {
    ($name:ident $(<$of:ident>)?, $shown:literal, $schema:tt) => {
        impl $(<$of>)? JsonSchema for $name $(<$of>)? {
            fn schema_name() -> Cow<'static, str> {
                $shown.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }

            fn inline_schema() -> bool {
                true
            }
        }
    };
}

/// Defines structs of the install config: every field has a default, is named in camel case unless
/// renamed, and is left out of the output when it says nothing.
macro_rules! model {
    ($( $(#[$meta:meta])* pub struct $name:ident {
        $( $(#[$field_meta:meta])* pub $field:ident : $ty:ty, )*
    } )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, rename_all = "camelCase")]
        #[schemars(deny_unknown_fields)]
        pub struct $name {
            $( $(#[$field_meta])*
            #[serde(skip_serializing_if = "crate::config::value::Zero::is_zero")]
            pub $field: $ty, )*
        }

        impl crate::config::value::Zero for $name {}
    )* };
}
pub(crate) use model;

/// A network as written: the address with its host bits, and the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    /// Address and prefix; an IPv4-mapped IPv6 address counts as IPv4, its prefix less 96.
    pub net: IpNet,
    /// The prefix as written.
    pub ones: u8,
    /// The width of the mask as written: 32 or 128.
    pub bits: u8,
}

impl Net {
    /// The address as written, host bits and all.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.net.addr()
    }

    /// Whether the address is IPv4, or IPv4 mapped to IPv6.
    #[must_use]
    pub fn is_ipv4(&self) -> bool {
        self.address().is_ipv4()
    }

    /// Whether `address` lies in the network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.net.contains(&address)
    }

    /// Whether one network contains the other's address as written.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.contains(other.address()) || other.contains(self.address())
    }
}

impl fmt::Display for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.net.fmt(f)
    }
}

impl std::str::FromStr for Net {
    type Err = FormFault;

    /// Reads `address/prefix` as Go's `net.ParseCIDR` does.
    fn from_str(text: &str) -> Result<Self, FormFault> {
        let fault = |message: String| FormFault {
            message,
            help: "write address/prefix, such as 10.0.0.0/16 or fd00:1::/48",
        };
        let Some((address, prefix)) = text.split_once('/') else {
            return Err(fault(format!("`{text}` is not a network: the prefix length is missing")));
        };
        let address: IpAddr = address
            .parse()
            .map_err(|_| fault(format!("`{text}` is not a network: `{address}` is not an IP address")))?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let digits = !prefix.is_empty() && prefix.bytes().all(|b| b.is_ascii_digit());
        let ones = prefix.parse::<u8>().ok().filter(|ones| digits && *ones <= bits).ok_or_else(|| {
            fault(format!("`{text}` is not a network: the prefix must be a number from 0 to {bits}"))
        })?;
        let (address, effective) = match address {
            IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
                Some(v4) => (IpAddr::V4(v4), ones.saturating_sub(96)),
                None => (address, ones),
            },
            IpAddr::V4(_) => (address, ones),
        };
        let net = IpNet::new(address, effective)
            .map_err(|_| fault(format!("`{text}` is not a network: the prefix is out of range")))?;
        Ok(Self { net, ones, bits })
    }
}

/// The text of a network in a message: short texts only, as anything may stand there.
fn check_network(text: &str) -> Result<(), FormFault> {
    let shown = if text.len() > 60 { "the text" } else { text };
    text.parse::<Net>().map(|_| ()).map_err(|fault| FormFault {
        message: if text.len() > 60 { format!("{shown} is not a network") } else { fault.message },
        help: fault.help,
    })
}

/// A field that holds a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// The field is not there.
    #[default]
    Missing,
    /// The field is there and null.
    Null,
    /// A network.
    Given(Net),
}

impl Network {
    /// The network, if there is one.
    #[must_use]
    pub fn given(&self) -> Option<&Net> {
        match self {
            Self::Given(net) => Some(net),
            Self::Missing | Self::Null => None,
        }
    }

    /// Whether it counts as IPv4 where families are counted; an empty network counts as IPv6.
    #[must_use]
    pub fn is_ipv4(&self) -> bool {
        self.given().is_some_and(Net::is_ipv4)
    }

    /// A network that the program itself knows.
    ///
    /// # Panics
    /// Never for the literals in this crate: a test reads each of them.
    #[must_use]
    pub fn known(address: [u8; 4], prefix: u8) -> Self {
        let net = ipnet::Ipv4Net::new(Ipv4Addr::from(address), prefix).unwrap_or_default();
        Self::Given(Net { net: IpNet::V4(net), ones: prefix, bits: 32 })
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Missing | Self::Null => serializer.serialize_none(),
            Self::Given(net) => serializer.collect_str(net),
        }
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NetworkVisitor;
        impl Visitor<'_> for NetworkVisitor {
            type Value = Network;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a network")
            }
            fn visit_unit<E>(self) -> Result<Network, E> {
                Ok(Network::Null)
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Network, E> {
                text.parse().map(Network::Given).map_err(|fault: FormFault| E::custom(fault.message))
            }
        }
        deserializer.deserialize_newtype_struct(NETWORK_NAME, NetworkVisitor)
    }
}

schema! { Network, "Network", {"type": "string", "pattern": "^[0-9a-fA-F:.]+/[0-9]+$"} }

/// Text that takes no number or boolean in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StrictText(pub String);

impl<'de> Deserialize<'de> for StrictText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(STRICT_TEXT_NAME, TextVisitor).map(Self)
    }
}

schema! { StrictText, "Text", {"type": "string"} }

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }
    fn visit_unit<E>(self) -> Result<String, E> {
        Ok(String::new())
    }
    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

/// A point in time, kept as RFC 3339 text in UTC with whole seconds, as Kubernetes writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Time(String);

fn check_time(text: &str) -> Result<(), FormFault> {
    instant::instant(text).map(|_| ()).ok_or_else(|| FormFault {
        message: "the value is not a time".to_owned(),
        help: "write RFC 3339, such as 2030-01-31T12:00:00Z",
    })
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = deserializer.deserialize_newtype_struct(TIME_NAME, TextVisitor)?;
        let time = instant::instant(&text);
        Ok(Self(time.map_or_else(String::new, |t| t.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())))
    }
}

schema! { Time, "Time", {"type": "string", "format": "date-time"} }

/// A map, or a value of any type, whose content is not looked at, kept as it stands. What sounds like a secret is
/// never shown.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Opaque<T = BTreeMap<String, serde_json::Value>>(T);

impl<T> fmt::Debug for Opaque<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opaque")
    }
}

impl<T: Serialize> Serialize for Opaque<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shown = serde_json::to_value(&self.0).map_err(serde::ser::Error::custom)?;
        redact_named(&mut shown);
        shown.serialize(serializer)
    }
}

/// Takes out the values of keys that sound like a secret.
fn redact_named(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, below) in map {
                if Mask::names_secret(key) {
                    *below = REDACTED.into();
                } else {
                    redact_named(below);
                }
            }
        }
        serde_json::Value::Array(list) => list.iter_mut().for_each(redact_named),
        _ => {}
    }
}

schema! { Opaque<T>, "Opaque", {"type": "object"} }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_networks_as_the_installer_does() {
        let shown = |text: &str| text.parse::<Net>().map(|n| n.to_string()).map_err(|f| f.message);
        assert_eq!(shown("10.0.0.5/08").as_deref(), Ok("10.0.0.5/8"));
        assert_eq!(shown("FD00:0:0::/48").as_deref(), Ok("fd00::/48"));
        assert_eq!(shown("::ffff:10.0.0.0/104").as_deref(), Ok("10.0.0.0/8"));
        for wrong in ["10.0.0.0", "10.0.0.0/33", "010.0.0.0/8", "10.0.0.0/+8", "fe80::%eth0/64", "/8", ""] {
            assert!(shown(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn networks_overlap_by_their_written_addresses() {
        let net = |text: &str| text.parse::<Net>().ok();
        let (wide, inside, apart) = (net("10.0.0.0/8"), net("10.1.0.0/16"), net("11.0.0.0/16"));
        let overlap = |a: &Option<Net>, b: &Option<Net>| a.zip(*b).is_some_and(|(a, b)| a.overlaps(&b));
        assert!(overlap(&wide, &inside) && overlap(&inside, &wide));
        assert!(!overlap(&wide, &apart));
    }

    #[test]
    fn a_time_has_date_seconds_and_offset() {
        assert!(check_time("2021-01-02T03:04:05+01:00").is_ok());
        for wrong in ["x", "2021-01-02T03:04:05", "2021-01-02T03:04:05+aé00"] {
            assert!(check_time(wrong).is_err(), "{wrong}");
        }
    }
}
