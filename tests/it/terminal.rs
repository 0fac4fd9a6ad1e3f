//! A terminal with a program in it: what stands on its screen, and keys for the program.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

const ROWS: u16 = 60;
const COLUMNS: u16 = 200;
/// How long a screen may take to be what is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the program has written.
struct Seen {
    parser: vt100::Parser,
    bytes: Vec<u8>,
    ended: bool,
}

impl Seen {
    fn screen(&self) -> String {
        self.parser.screen().contents()
    }
}

/// A terminal in which a program runs. Both its output and its errors go to the screen.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    modes: String,
}

impl Terminal {
    /// Starts landfall with these arguments and nothing in its environment but these variables.
    pub fn landfall(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::of_size((ROWS, COLUMNS), folder, arguments, variables)
    }

    /// The same in a terminal of so many rows and columns.
    pub fn of_size(
        (rows, columns): (u16, u16),
        folder: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_landfall"));
        command.args(arguments);
        command.cwd(folder);
        command.env_clear();
        for (name, value) in variables {
            command.env(name, value);
        }
        let modes = modes(&*pair.master);
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let (rows, columns) = (NonZeroU16::new(rows).unwrap(), NonZeroU16::new(columns).unwrap());
        let seen = Seen { parser: vt100::Parser::new(rows, columns, 0), bytes: Vec::new(), ended: false };
        let seen = Arc::new((Mutex::new(seen), Condvar::new()));
        let reader = pair.master.try_clone_reader().unwrap();
        std::thread::spawn({
            let seen = Arc::clone(&seen);
            move || watch(reader, &seen)
        });
        let keys = pair.master.take_writer().unwrap();
        Self { child, master: pair.master, keys, seen, modes }
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, rows: u16, columns: u16) {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let (of_rows, of_columns) = (NonZeroU16::new(rows).unwrap(), NonZeroU16::new(columns).unwrap());
        self.seen.0.lock().unwrap().parser.set_size(of_rows, of_columns);
        self.master.resize(size).unwrap();
    }

    /// Waits until a text stands on the screen.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("`{text}` on the screen"), |screen| screen.contains(text));
    }

    /// Waits until the screen is as wanted, and gives it.
    pub fn wait_until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let seen = self.wait(what, |seen| wanted(&seen.screen()));
        seen.screen()
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until the program is done, and gives its exit code.
    pub fn exit(&mut self) -> u32 {
        drop(self.wait("the end of the program", |seen| seen.ended));
        self.child.wait().unwrap().exit_code()
    }

    /// Takes the terminal away from the program.
    pub fn hang_up(&mut self) {
        self.child.kill().unwrap();
        drop(self.wait("the end of the program", |seen| seen.ended));
        self.child.wait().unwrap();
    }

    /// What stands on the screen.
    pub fn screen(&self) -> String {
        self.seen.0.lock().unwrap().screen()
    }

    /// All that was ever written to the terminal.
    pub fn all(&self) -> String {
        String::from_utf8_lossy(&self.seen.0.lock().unwrap().bytes).into_owned()
    }

    /// Whether the terminal was left as it was found: with its cursor, and with the same modes.
    pub fn is_restored(&self) -> bool {
        let cursor = !self.seen.0.lock().unwrap().parser.screen().hide_cursor();
        cursor && modes(&*self.master) == self.modes
    }

    fn wait(&self, what: &str, wanted: impl Fn(&Seen) -> bool) -> MutexGuard<'_, Seen> {
        let deadline = Instant::now() + PATIENCE;
        let (seen, changed) = &*self.seen;
        let mut seen = seen.lock().unwrap();
        loop {
            if wanted(&seen) {
                return seen;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let screen = seen.screen();
            assert!(!left.is_zero() && !seen.ended, "no {what}; the screen is:\n{screen}");
            seen = changed.wait_timeout(seen, left).unwrap().0;
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // There is nothing more to do about a program that does not end.
            let _ = self.child.kill();
        }
    }
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().map(|termios| termios.local_flags))
}

/// Reads until the program is gone, which closes the terminal.
fn watch(mut reader: impl Read, seen: &(Mutex<Seen>, Condvar)) {
    let mut buffer = [0; 4096];
    loop {
        let count = reader.read(&mut buffer).unwrap_or(0);
        let mut state = seen.0.lock().unwrap();
        state.parser.process(&buffer[..count]);
        state.bytes.extend_from_slice(&buffer[..count]);
        state.ended = count == 0;
        seen.1.notify_all();
        if count == 0 {
            return;
        }
    }
}
