//! What the toy cloud answered: leaf types of [`crate::facts::Facts`].

use crate::config::value::model;

model! {
    /// What the toy cloud answered for one install config.
    pub struct Facts {
        /// Account of the caller; empty where the cloud was not asked.
        pub account: String,
        /// Region that was asked.
        pub region: String,
        /// Its zones.
        pub zones: Vec<String>,
        /// Machine types that it offers.
        pub machine_types: Vec<String>,
        /// How many machines the account may have.
        pub machine_limit: u32,
    }
}
