//! What tests need from outside: where it is missing, they fail, and servers that one test after the other uses.
//!
//! A test that needs something is marked with `#[ignore = "needs ..."]`, so that the runner counts it as skipped until
//! somebody asks for it. `tools/test` names a folder for servers in `LANDFALL_TEST_SERVERS` and ends them after the run;
//! without the folder, each test starts a server of its own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Fails a test that was asked for although a service is missing.
#[track_caller]
pub fn missing(service: &str, reason: &str) -> ! {
    panic!("{service} is missing: {reason}")
}

/// A place for a server that outlives the test. No other test uses it at the same time.
pub struct Slot {
    folder: PathBuf,
    // Unlocked when the process ends, however it does.
    _lock: File,
}

impl Slot {
    /// A free place for a server of this name; none where tests start their own servers.
    pub fn take(name: &str) -> Option<Self> {
        let servers = PathBuf::from(std::env::var_os("LANDFALL_TEST_SERVERS")?);
        (0..).find_map(|number| {
            let folder = servers.join(format!("{name}-{number}"));
            std::fs::create_dir_all(&folder).unwrap();
            let lock = File::create(folder.join("lock")).unwrap();
            lock.try_lock().ok().map(|()| Self { folder, _lock: lock })
        })
    }

    /// The folder of the server that is here.
    pub fn server(&self) -> PathBuf {
        self.folder.join("server")
    }

    /// Starts a server that ends with the test run, and waits for a file that says that it is ready. `script` is of
    /// the shell: `$1` is the server's folder, which is new, and standard input ends with the test run.
    #[allow(clippy::zombie_processes, reason = "the server outlives the test")]
    pub fn start(&self, script: &str, program: &Path, ready: &str) {
        let folder = self.server();
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let alive = self.folder.parent().unwrap().join("alive");
        let log = File::create(self.folder.join("log")).unwrap();
        let mut command = Command::new("setsid");
        command.args(["sh", "-c", script]).arg(program).arg(&folder);
        command.stdin(File::open(alive).unwrap()).stdout(log.try_clone().unwrap()).stderr(log);
        let mut child = command.spawn().unwrap();
        let began = Instant::now();
        while !folder.join(ready).exists() {
            let log = || std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(child.try_wait().unwrap().is_none(), "{} ended: {}", program.display(), log());
            let is_late = began.elapsed() > Duration::from_mins(3);
            assert!(!is_late, "{} does not become ready: {}", program.display(), log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Runs a tool of the project that installs a service, and returns what it prints.
#[track_caller]
pub fn installed(service: &str, tool: &Path) -> String {
    let output = Command::new(tool).arg("install").stdin(Stdio::null()).output().unwrap();
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        missing(service, errors.lines().last().unwrap_or("its installation does not say why"));
    }
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
