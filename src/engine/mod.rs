//! What turns the files of a cluster into infrastructure.
//!
//! An edge: it starts programs, follows what they write and keeps what they say of a cloud as findings. It
//! knows no platform, and nothing of what a cluster is made of.

pub mod aso;
pub mod terraform;
