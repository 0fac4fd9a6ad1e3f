//! The findings of `landfall gather`.

use landfall_diagnostics::{Code, Finding, Kind};

static NOTHING: Code = Code::new("LF1223");
static MACHINE: Code = Code::new("LF1224");
static NO_ADDRESS: Code = Code::new("LF1225");

/// That a directory is not that of a cluster.
#[must_use]
pub fn nothing(directory: &str) -> Finding {
    let message = format!("no cluster in {directory}: there is neither a config, nor metadata, nor a log");
    Finding::error(&NOTHING, Kind::Invalid, "", message).help("set the cluster directory with --dir")
}

/// That a machine's journal could not be read.
#[must_use]
pub fn machine(name: &str, why: &str) -> Finding {
    let message = format!("the journal of {name} could not be read over SSH: {why}");
    Finding::warning(&MACHINE, Kind::Invalid, "", message)
        .help("check the address, the key, and that port 22 of the machine can be reached from here")
}

/// That no address of a machine is known.
#[must_use]
pub fn no_address() -> Finding {
    let message = "no machine's journal was read: no address of a machine is recorded in the directory";
    Finding::warning(&NO_ADDRESS, Kind::Required, "", message)
        .help("set the addresses with --bootstrap ADDRESS and --control-plane ADDRESS")
}
