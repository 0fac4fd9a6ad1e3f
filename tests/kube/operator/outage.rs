//! An API server that is killed, and comes back on the same port with the same store.

use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::until::until;

/// What is down: how the programs were started that are to come back.
pub struct Outage(Vec<Vec<String>>);

/// What came back, with how it was started. It goes with this.
pub struct Restarted(Vec<(Child, Vec<String>)>);

/// Kills the API server that has its data in a folder, and its store.
pub fn begin(folder: &Path) -> Outage {
    let found: Vec<(i32, Vec<String>)> = ["etcd", "kube-apiserver"].map(|name| process(name, folder)).into();
    for (pid, _) in &found {
        // The script that started them ends one with the other.
        let _ = kill_process(Pid::from_raw(*pid).unwrap(), Signal::KILL);
    }
    let lines: Vec<Vec<String>> = found.into_iter().map(|(_, line)| line).collect();
    until("the API server is gone", || {
        let is_up = |line: &Vec<String>| running().any(|(_, running)| running == *line);
        (!lines.iter().any(is_up)).then_some(())
    });
    Outage(lines)
}

impl Outage {
    /// Starts the same again: the store, and the API server once the store listens, as without it the API server
    /// gives up after some seconds.
    pub fn end(self) -> Restarted {
        Restarted(self.0.into_iter().map(|line| (start(&line), line)).collect())
    }
}

impl Restarted {
    /// Starts again what has ended: an API server gives up if a machine is too busy for it, and a supervisor starts
    /// it again.
    pub fn supervise(&mut self) {
        for (child, line) in &mut self.0 {
            if child.try_wait().unwrap().is_some() {
                *child = start(line);
            }
        }
    }
}

/// Starts a program, and waits until the store listens.
fn start(line: &[String]) -> Child {
    let store = store_port(line);
    // They die with the test, however it ends.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]).args(line);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    until("the store listens", || TcpStream::connect(("127.0.0.1", store)).ok());
    child
}

impl Drop for Restarted {
    fn drop(&mut self) {
        for (child, _) in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The port of the store in the command line of either.
fn store_port(line: &[String]) -> u16 {
    let flag = ["--listen-client-urls", "--etcd-servers"];
    let at = line.iter().position(|word| flag.iter().any(|flag| word.starts_with(flag))).unwrap();
    let words = [line[at].as_str(), line.get(at + 1).map_or("", String::as_str)].join(" ");
    let (_, rest) = words.split_once("http://127.0.0.1:").unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// The process of this name with its data in the folder: its number and how it was started.
fn process(name: &str, folder: &Path) -> (i32, Vec<String>) {
    let folder = folder.to_str().unwrap();
    let is_it = |(_, line): &(i32, Vec<String>)| {
        Path::new(&line[0]).file_name().is_some_and(|file| file == name)
            && line.iter().any(|word| word.contains(folder))
    };
    running().find(is_it).unwrap_or_else(|| panic!("{name} does not run in {folder}"))
}

/// All processes, with how they were started. Those that ended and were not waited for have nothing of it
/// left.
fn running() -> impl Iterator<Item = (i32, Vec<String>)> {
    let entries = std::fs::read_dir("/proc").unwrap().map_while(Result::ok);
    entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse::<i32>().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8(line).ok()?;
        let words: Vec<String> = line.split_terminator('\0').map(str::to_owned).collect();
        (!words.is_empty()).then_some((pid, words))
    })
}
