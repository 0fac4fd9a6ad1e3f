//! A server in front of moto that kills terraform after one of its calls: the cloud has done what was asked, and
//! terraform has not written its state.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use rustix::process::Signal;

use crate::calls::{changes, passed};
use crate::front::{ALL, ANY, Asked, Rule};
use crate::processes::{kill_in, signal_of};

/// Kills the terraform of one cluster directory.
#[derive(Clone, Default)]
pub struct Killer(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Whether it is landfall itself that is killed.
    of_landfall: bool,
    port: OnceLock<u16>,
    directory: OnceLock<PathBuf>,
    wish: Mutex<Option<Wish>>,
    killed: Mutex<Option<String>>,
}

/// Whether to kill after a call.
type Wish = Box<dyn FnMut(&str) -> bool + Send>;

impl Killer {
    /// Kills landfall instead, which is started with the cluster directory as its last argument.
    pub fn of_landfall() -> Self {
        Self(Arc::new(Shared { of_landfall: true, ..Shared::default() }))
    }

    /// The rule for the front.
    pub fn rule(&self) -> Rule {
        let shared = Arc::clone(&self.0);
        Rule::always(ANY, ALL, move |asked| {
            let reply = passed(asked, *shared.port.get().unwrap());
            if changes(asked) {
                shared.after(&name(asked));
            }
            reply
        })
    }

    /// Where moto listens.
    pub fn upstream(&self, port: u16) {
        self.0.port.set(port).unwrap();
    }

    /// The cluster directory.
    pub fn directory(&self, directory: PathBuf) {
        self.0.directory.set(directory).unwrap();
    }

    /// Kills once, after the first call for which `wish` is true.
    pub fn kill_after(&self, wish: impl FnMut(&str) -> bool + Send + 'static) {
        *self.0.killed.lock().unwrap() = None;
        *self.0.wish.lock().unwrap() = Some(Box::new(wish));
    }

    /// The call after which terraform was killed, since [`Killer::kill_after`].
    pub fn killed(&self) -> Option<String> {
        *self.0.wish.lock().unwrap() = None;
        self.0.killed.lock().unwrap().clone()
    }
}

impl Shared {
    fn after(&self, name: &str) {
        let mut wish = self.wish.lock().unwrap();
        if wish.as_mut().is_some_and(|wish| wish(name)) && self.kill() {
            *wish = None;
            *self.killed.lock().unwrap() = Some(name.to_owned());
        }
    }

    /// Kills terraform and its providers, or landfall; false where there are none.
    fn kill(&self) -> bool {
        let directory = self.directory.get().unwrap();
        if !self.of_landfall {
            return kill_in(&directory.join("terraform"));
        }
        signal_of(directory, Signal::KILL)
    }
}

/// The name of a call without the ids in it: `ec2 CreateVpc`, `route53 POST hostedzone rrset`.
fn name(asked: &Asked) -> String {
    let action = asked.action();
    let Some((method, path)) = action.split_once(' ') else {
        return format!("{} {action}", asked.service());
    };
    let query = asked.path.split_once('?').map_or("", |(_, query)| query);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let what = if asked.service() == "s3" {
        let level = if parts.len() > 1 { "object" } else { "bucket" };
        let key = query.split(['=', '&']).next().unwrap_or_default();
        format!("{level} {key}")
    } else {
        let words = parts.into_iter().filter(|part| part.bytes().all(|b| b.is_ascii_lowercase()));
        words.collect::<Vec<&str>>().join(" ")
    };
    format!("{} {method} {}", asked.service(), what.trim_end())
}

/// Names that several runs share, so that each is taken once.
#[derive(Clone, Default)]
pub struct Taken(Arc<Mutex<BTreeSet<String>>>);

impl Taken {
    /// Whether nobody has taken a name before.
    pub fn take(&self, name: &str) -> bool {
        self.0.lock().unwrap().insert(name.to_owned())
    }

    /// All that were taken.
    pub fn all(&self) -> BTreeSet<String> {
        self.0.lock().unwrap().clone()
    }
}
