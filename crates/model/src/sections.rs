//! The one list of platforms, and the two structs of an install config that are made of it.
//!
//! A new platform is its folder and its name in `supported!`. The sections of platforms that the
//! OpenShift installer knows and landfall does not support are accepted as maps, so that they can be
//! refused with a clear word.

use crate::config::foreign::{NutanixPool, PowervcPool};
use crate::config::value::{Opaque, Zero};

/// Hands the list of supported platforms to a macro: first those with settings for machine pools, then
/// those without; each in the order in which the first one present becomes the active one.
#[cfg(not(feature = "toy"))]
macro_rules! supported {
    ($with:ident) => {
        $with! { pools: [aws, azure], plain: [none, external] }
    };
}
/// The same with the toy cloud of the tests.
#[cfg(feature = "toy")]
macro_rules! supported {
    ($with:ident) => {
        $with! { pools: [aws, azure, toy], plain: [none, external] }
    };
}
pub(crate) use supported;

/// The platforms that the OpenShift installer knows besides those; the later ones with what a machine pool's
/// settings are read as. Those of two platforms may be in a pool of any other (`docs/install-config.md`,
/// section 9.1), so that their types are looked at.
macro_rules! foreign {
    ($with:ident, $($list:tt)*) => {
        $with! { $($list)*, early: [baremetal, gcp, ibmcloud],
                 late: [nutanix: Box<NutanixPool>, openstack: Opaque, ovirt: Opaque, powervc: Box<PowervcPool>,
                        powervs: Opaque, vsphere: Opaque] }
    };
}

macro_rules! sections {
    (pools: [$($pool:ident),*], plain: [$($plain:ident),*]) => {
        foreign! { sections, pools: [$($pool),*], plain: [$($plain),*] }
    };
    (pools: [$($pool:ident),*], plain: [$($plain:ident),*], early: [$($early:ident),*],
     late: [$($late:ident: $late_pool:ty),*]) => {
        crate::config::value::model! {
            /// The platform to install on: one key with that platform's settings.
            pub struct Sections {
                $(#[doc = concat!("Settings of a cluster on platform ", stringify!($pool), ".")]
                pub $pool: Option<crate::$pool::config::Platform>,)*
                $(#[doc = concat!("Settings of a cluster on platform ", stringify!($plain), ".")]
                pub $plain: Option<crate::$plain::config::Platform>,)*
                $(#[doc = "A platform that landfall does not support."]
                #[schemars(skip)] pub $early: Option<Opaque>,)*
                $(#[doc = "A platform that landfall does not support."]
                #[schemars(skip)] pub $late: Option<Opaque>,)*
            }

            /// Settings of a machine pool, one key for the platform in use.
            pub struct PoolSections {
                $(#[doc = concat!("Settings of the machines on platform ", stringify!($pool), ".")]
                pub $pool: Option<crate::$pool::config::MachinePool>,)*
                $(#[doc = "A platform that landfall does not support."]
                #[schemars(skip)] pub $early: Option<Opaque>,)*
                $(#[doc = "A platform that landfall does not support."]
                #[schemars(skip)] pub $late: Option<$late_pool>,)*
            }
        }

        impl Sections {
            /// The platforms given, the active one first: the order of the OpenShift installer
            /// (`docs/install-config.md`, section 7.6).
            #[must_use]
            pub fn present(&self) -> Vec<&'static str> {
                [
                    $((stringify!($pool), self.$pool.is_some()),)*
                    $((stringify!($early), self.$early.is_some()),)*
                    $((stringify!($plain), self.$plain.is_some()),)*
                    $((stringify!($late), self.$late.is_some()),)*
                ]
                .into_iter()
                .filter_map(|(name, given)| given.then_some(name))
                .collect()
            }
        }

        impl Sections {
            /// The URLs that may hold a password, each with its JSON pointer.
            #[must_use]
            pub fn secret_urls(&self) -> Vec<(String, &str)> {
                let mut urls = Vec::new();
                $(if let Some(platform) = &self.$pool {
                    let own = platform.secret_urls().into_iter();
                    urls.extend(own.map(|(at, url)| (format!(concat!("/platform/", stringify!($pool), "{}"), at), url)));
                })*
                urls
            }
        }

        impl PoolSections {
            /// The platforms that the pool has settings for.
            #[must_use]
            pub fn present(&self) -> Vec<&'static str> {
                if self.is_zero() {
                    return Vec::new();
                }
                [
                    $((stringify!($pool), self.$pool.is_some()),)*
                    $((stringify!($early), self.$early.is_some()),)*
                    $((stringify!($late), self.$late.is_some()),)*
                ]
                .into_iter()
                .filter_map(|(name, given)| given.then_some(name))
                .collect()
            }
        }

        /// The platforms that landfall supports.
        pub const SUPPORTED: &[&str] = &[$(stringify!($pool),)* $(stringify!($plain),)*];

        /// The platforms that the OpenShift installer knows and landfall does not support.
        pub const UNSUPPORTED: &[&str] = &[$(stringify!($early),)* $(stringify!($late),)*];
    };
}

supported! { sections }
