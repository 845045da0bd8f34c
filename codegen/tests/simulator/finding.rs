//! Why a run ends early, and what is reported of it.

use std::fmt;

/// Why a run ends early.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The native function panics: what a device does then is not promised.
    Panic,
    /// The simulator does not know something that a kernel may have.
    Unknown(String),
    /// The kernel takes more steps than a test has time for.
    Steps,
    /// The kernel is wrong.
    Finding(Finding),
}

impl Stop {
    pub(crate) fn unknown(what: impl fmt::Debug) -> Stop {
        Stop::Unknown(format!("{what:?}"))
    }
}

/// What is wrong with a kernel that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) kind: Kind,
    /// What happens, with the places where it does.
    pub(crate) what: String,
}

/// The ways in which an accepted kernel is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// Two work-items meet in one element without a barrier between them, or two lanes of one loop.
    Race,
    /// Two groups meet in one element.
    Groups,
    /// A load comes after a store to its element through another name.
    Alias,
    /// What has to be the same in all work-items is not.
    Divergence,
    /// A buffer that is written is accessed outside its shape.
    Outside,
    /// A buffer that is not given is accessed.
    Null,
    /// The work-items give something else than the native function.
    Result,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Race => "race",
            Kind::Groups => "two groups on one element",
            Kind::Alias => "load after a store under alias",
            Kind::Divergence => "divergence",
            Kind::Outside => "outside its shape",
            Kind::Null => "access of no buffer",
            Kind::Result => "another result",
        })
    }
}
