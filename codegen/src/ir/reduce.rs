//! Reductions over the lanes of a group: one table, from which everything that is said of them derives.

use super::Scalar;

/// What a reduction combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combines {
    /// `f32`, or integers of 32 or 64 bits.
    Numbers,
    /// `bool`.
    Conditions,
}

/// The number or condition that changes nothing that it is combined with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// 0
    Zero,
    /// The least of its type, infinity for floats.
    Least,
    /// The greatest of its type, infinity for floats.
    Greatest,
    /// `false`
    False,
    /// `true`
    True,
}

/// A function of namespace `sycl` that all work-items of a group call together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupFunction {
    /// `reduce_over_group` with this function object.
    Reduce(&'static str),
    /// This function, of conditions.
    Predicate(&'static str),
}

/// What is said of a reduction.
#[derive(Clone, Copy, Debug)]
pub struct ReduceRow {
    /// The word that combines the lanes' parts.
    pub word: &'static str,
    /// What it combines.
    pub combines: Combines,
    /// What it starts from.
    pub identity: Identity,
    /// Whether floats come out the same in whatever order they are combined.
    pub exact: bool,
    /// What combines the parts of a group in SYCL.
    pub sycl: GroupFunction,
    /// The word that gives the place of what it combines to, where that is one of the parts.
    pub place: Option<&'static str>,
}

/// Declares [`Reduce`] with one row for each reduction, which lacks no column.
macro_rules! table {
    ($($reduce:ident: $word:literal $combines:ident from $identity:ident, exact: $exact:literal, $function:ident $sycl:literal, $place:expr;)*) => {
        /// Reductions over the lanes of a group.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Reduce {
            $($reduce,)*
        }

        impl Reduce {
            /// Every reduction.
            pub const ALL: &'static [Reduce] = &[$(Reduce::$reduce),*];

            /// What is said of it.
            pub const fn row(self) -> ReduceRow {
                match self {
                    $(Reduce::$reduce => ReduceRow {
                        word: $word,
                        combines: Combines::$combines,
                        identity: Identity::$identity,
                        exact: $exact,
                        sycl: GroupFunction::$function($sycl),
                        place: $place,
                    },)*
                }
            }
        }
    };
}

table! {
    Sum: "group_sum" Numbers from Zero, exact: false, Reduce "plus", None;
    Max: "group_max" Numbers from Least, exact: true, Reduce "maximum", Some("group_argmax");
    Min: "group_min" Numbers from Greatest, exact: true, Reduce "minimum", Some("group_argmin");
    Any: "group_any" Conditions from False, exact: true, Predicate "any_of_group", None;
    All: "group_all" Conditions from True, exact: true, Predicate "all_of_group", None;
}

impl Reduce {
    /// The word that combines the lanes' parts.
    pub const fn word(self) -> &'static str {
        self.row().word
    }

    /// The word that gives the place of the largest or smallest; `None` where what is combined is no single part.
    pub const fn place_word(self) -> Option<&'static str> {
        self.row().place
    }

    /// Whether it combines values of a type.
    pub const fn takes(self, ty: Scalar) -> bool {
        match self.row().combines {
            Combines::Numbers => matches!(
                ty,
                Scalar::F32 | Scalar::I32 | Scalar::I64 | Scalar::U32 | Scalar::U64
            ),
            Combines::Conditions => matches!(ty, Scalar::Bool),
        }
    }

    /// Whether values of a type come out the same in whatever order they are combined.
    pub const fn is_exact(self, ty: Option<Scalar>) -> bool {
        match ty {
            Some(Scalar::F32) | None => self.row().exact,
            Some(_) => true,
        }
    }
}

/// A word that stands for what the work-items of a row do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupWord {
    /// Their parts combined.
    Reduce(Reduce),
    /// The place of the largest or smallest of their parts.
    Place(Reduce),
    /// What lanes have added up so far.
    ScanSum,
}

/// The word for what lanes have added up so far.
pub const SCAN_SUM: &str = "group_scan_sum";

impl GroupWord {
    /// What `word` stands for.
    pub fn named(word: &str) -> Option<GroupWord> {
        let of = |reduce: &Reduce| {
            if reduce.word() == word {
                Some(GroupWord::Reduce(*reduce))
            } else if reduce.place_word() == Some(word) {
                Some(GroupWord::Place(*reduce))
            } else {
                None
            }
        };
        let scan = (word == SCAN_SUM).then_some(GroupWord::ScanSum);
        scan.or_else(|| Reduce::ALL.iter().find_map(of))
    }
}
