//! Proofs of values of sowing games: their format, a reader, and a checker that needs the rules alone.
//!
//! A [`Certificate`] claims a bound of a position's value and proves it by lemmas.
//! [`Certificate::verify`] accepts it only if the claim follows. The checker trusts nothing that it reads;
//! [`soundness`] has the argument for why acceptance implies truth.
//!
//! ```
//! use sowing_certificate::Certificate;
//!
//! let text = [
//!     "# sow certificate 2",
//!     "# game: s-kalaha(2,1)",
//!     "# position: 1,1,0|1,1,0",
//!     "# claim: value >= 0",
//!     "# program: sowing 0.2.0",
//!     "1,1|1,1 >= 0: 1",
//!     "0,1|1,0 >= 0: 2",
//! ]
//! .join("\n");
//! let certificate: Certificate = text.parse()?;
//! certificate.verify()?;
//! // A claim that does not follow is refused.
//! let forged: Certificate = text.replace("claim: value >= 0", "claim: value >= 1").parse()?;
//! assert!(forged.verify().is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Builder`] writes certificates: a program that knows how to play answers its obligations one by one.
//! `sowing-solver` does so.
//!
//! There are no features. The text format is stable: certificates of formats 1 and 2 stay readable.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod builder;
mod certificate;
mod checker;
mod claim;
pub mod soundness;

pub use builder::{Builder, Obligation};
pub use certificate::{
    Certificate, MAX_CERTIFICATE_BYTES, MAX_LINE_BYTES, ParseCertificateError, ReadCertificateError,
};
pub use checker::{Flaw, MAX_TURN_BOARDS, RefutedError};
pub use claim::{Claim, ParseClaimError};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
