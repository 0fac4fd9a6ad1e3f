//! The data of the domain: install config, catalogue, facts and plan, with the sections of all clouds.
//!
//! Values and how they are read and written; no rule, no call, no file. A new cloud adds one module and its name in
//! `supported!`.
//!
//! ```
//! use landfall_model::catalogue::Catalogue;
//!
//! let catalogue = Catalogue::embedded();
//! let image = catalogue.image("4.19", "amd64", "aws", "us-east-1");
//! assert!(image.is_some_and(|id| id.starts_with("ami-")));
//! let regions = catalogue.known_regions("aws", "4.19");
//! assert!(regions.iter().any(|region| region.id == "us-gov-west-1"));
//! ```

#![forbid(unsafe_code)]

pub mod aws;
pub mod azure;
pub mod catalogue;
pub mod config;
pub mod external;
pub mod facts;
mod file;
pub mod none;
pub mod plan;
pub mod prices;
pub mod sections;
#[cfg(feature = "toy")]
pub mod toy;
