//! Waiting for what must come, with an end.

use std::fmt::Debug;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What must come comes within this time, on a busy machine too. Pauses between attempts are within it.
const PATIENT: Duration = Duration::from_secs(90);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// What a look gives, as soon as it gives something.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENT, "not within {PATIENT:?}: {what}");
        sleep(PAUSE);
    }
}

/// Waits until a look gives what is wanted.
#[track_caller]
pub fn becomes<T: Debug + PartialEq>(wanted: &T, mut look: impl FnMut() -> T) {
    let begin = Instant::now();
    loop {
        let seen = look();
        if seen == *wanted {
            return;
        }
        assert!(begin.elapsed() < PATIENT, "not within {PATIENT:?}: {wanted:?}; there is {seen:?}");
        sleep(PAUSE);
    }
}
