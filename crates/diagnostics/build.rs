//! Builds the crate anew when a page comes or goes, which including the folder does not notice.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_macros,
    reason = "this is how a build script speaks to Cargo"
)]

fn main() {
    println!("cargo::rerun-if-changed=../../docs/codes");
}
