//! The calls to clouds that are under way, for those who show or record them.
//!
//! One list for the process, as standard error is one: every platform's edge enters its calls, and whoever draws a
//! line or writes a log looks at it. Names of calls hold no secrets.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

type Observer = Box<dyn Fn(&str, Duration) + Send + Sync>;

/// The calls that are under way, by when they began.
static RUNNING: Mutex<Running> = Mutex::new(Running { next: 0, calls: BTreeMap::new() });
/// Hears of each call that has ended.
static OBSERVER: OnceLock<Observer> = OnceLock::new();

struct Running {
    next: u64,
    calls: BTreeMap<u64, String>,
}

/// A call that is under way. It ends when this is dropped.
#[derive(Debug)]
pub struct Call {
    number: u64,
    name: String,
    began: Instant,
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call begins, such as `EC2 DescribeInstances`.
#[must_use]
pub fn begin(name: impl Into<String>) -> Call {
    let name = name.into();
    let mut running = running();
    let number = running.next;
    running.next += 1;
    running.calls.insert(number, name.clone());
    Call { number, name, began: Instant::now() }
}

/// The call that has been under way longest; none while there is none.
#[must_use]
pub fn current() -> Option<String> {
    running().calls.values().next().cloned()
}

/// From now on, `observer` hears the name and the duration of each call that ends. The first observer stays; gives
/// whether this is the one.
pub fn observe(observer: impl Fn(&str, Duration) + Send + Sync + 'static) -> bool {
    OBSERVER.set(Box::new(observer)).is_ok()
}

impl Drop for Call {
    fn drop(&mut self) {
        running().calls.remove(&self.number);
        if let Some(observer) = OBSERVER.get() {
            observer(&self.name, self.began.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_longest_call_is_the_current_one_and_each_end_is_heard() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&heard);
        assert!(observe(move |name, _| {
            if let Ok(mut list) = list.lock() {
                list.push(name.to_owned());
            }
        }));
        assert!(!observe(|_, _| {}));
        let (first, second) = (begin("EC2 DescribeVpcs"), begin("STS GetCallerIdentity"));
        assert_eq!(current().as_deref(), Some("EC2 DescribeVpcs"));
        drop(first);
        assert_eq!(current().as_deref(), Some("STS GetCallerIdentity"));
        drop(second);
        assert_eq!(current(), None);
        let heard = heard.lock().map(|list| list.clone()).unwrap_or_default();
        assert_eq!(heard, ["EC2 DescribeVpcs", "STS GetCallerIdentity"]);
    }
}
