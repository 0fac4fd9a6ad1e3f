//! From the bytes of an install config to what is to be said of it, and from an accepted one to the plan and the files
//! of its cluster, on every platform.
//!
//! Pure: joins the rules that hold everywhere to the platforms, whose one list is here. Nothing in here asks a cloud,
//! reads a file or shows anything.

#![forbid(unsafe_code)]

pub mod assets;
pub mod external;
pub mod none;
pub mod platforms;
pub mod verdict;
