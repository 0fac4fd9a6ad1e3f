//! From the bytes of an install config to what is to be said of it, and from an accepted one to the plan and the files
//! of its cluster, on every platform.
//!
//! Pure: joins the rules that hold everywhere to the platforms, whose one list is here. Nothing in here asks a cloud,
//! reads a file or shows anything.
//!
//! ```
//! use landfall_install_config::verdict::{Outcome, Strictness, judge};
//!
//! let text = "\
//! apiVersion: v1
//! baseDomain: example.com
//! metadata:
//!   name: demo
//! platform:
//!   aws:
//!     region: us-east-1
//!     serviceEndpoints:
//!     - name: ec2
//!       url: ftp://ec2.example.com
//! pullSecret: '{\"auths\": {}}'
//! ";
//! let verdict = judge(text.as_bytes(), Strictness::default());
//! assert_eq!(verdict.outcome, Outcome::Rejected);
//! // Every fault at once, each at its place.
//! let fields: Vec<&str> = verdict.findings.iter().map(|finding| finding.field.as_str()).collect();
//! assert!(fields.contains(&"pullSecret"));
//! assert!(fields.iter().any(|field| field.starts_with("platform.aws.serviceEndpoints")));
//! ```

#![forbid(unsafe_code)]

mod accepted;
pub mod assets;
pub mod external;
pub mod none;
pub mod platforms;
pub mod verdict;
