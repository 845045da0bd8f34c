//! Whether two accesses can meet in one element through different work-items.

use super::access::{Access, Actor, Repeat};
use super::poly::Poly;
use crate::ir::LocalId;

/// The index of an access as `step · lane + base + span`, where `span` runs over sequential loops in the lane.
#[derive(Debug)]
struct Form {
    step: Poly,
    base: Poly,
    /// Least and greatest of what sequential loops add.
    span: (Poly, Poly),
}

impl Access {
    fn lane(&self) -> Option<LocalId> {
        match self.actor {
            Actor::Lane(lane, _) => Some(lane),
            _ => None,
        }
    }

    /// The index, with the one lane that is left put in.
    fn element(&self) -> Poly {
        match &self.actor {
            Actor::One(lane, _, only) => self
                .index
                .substitute(*lane, only)
                .unwrap_or_else(|| self.index.clone()),
            _ => self.index.clone(),
        }
    }

    /// The linear form, if the index has one.
    fn form(&self) -> Option<Form> {
        let mut base = self.element();
        let mut span = (Poly::default(), Poly::default());
        for repeat in &self.repeats {
            let (slope, rest) = base.linear_in(repeat.index)?;
            let first = slope.times(&repeat.start);
            let last = slope.times(&repeat.end.minus(&Poly::constant(1)));
            let (low, high) = match sign(&slope)? {
                Sign::Rising => (first, last),
                Sign::Falling => (last, first),
            };
            span = (span.0.plus(&low), span.1.plus(&high));
            base = rest;
        }
        // Ends that differ from lane to lane, or from round to round, bound nothing.
        let moves = |index: LocalId| span.0.depends_on(index) || span.1.depends_on(index);
        if self.own_loops().any(moves) {
            return None;
        }
        let (step, base) = match self.lane() {
            Some(lane) => base.linear_in(lane)?,
            None => (Poly::default(), base),
        };
        Some(Form { step, base, span })
    }

    /// Indices that differ between the accesses that the statement makes in one round of the group.
    fn own_loops(&self) -> impl Iterator<Item = LocalId> {
        let lane = match self.actor {
            Actor::Lane(lane, _) | Actor::One(lane, ..) => Some(lane),
            Actor::Group => None,
        };
        self.repeats.iter().map(|repeat| repeat.index).chain(lane)
    }

    /// Least and greatest element that it touches, as far as that can be said.
    pub(crate) fn range(&self) -> Option<(Poly, Poly)> {
        let mut low = self.index.clone();
        let mut high = self.index.clone();
        let lane = match &self.actor {
            Actor::Lane(index, extent) | Actor::One(index, extent, _) => Some(Repeat {
                index: *index,
                start: Poly::default(),
                end: extent.clone(),
            }),
            _ => None,
        };
        // From the inside out, since an inner loop's ends may depend on the index of an outer one.
        let rounds = self.rounds.iter().rev();
        for repeat in self.repeats.iter().rev().chain(&lane).chain(rounds) {
            let last = repeat.end.minus(&Poly::constant(1));
            low = extreme(&low, repeat, &repeat.start, &last)?;
            high = extreme(&high, repeat, &last, &repeat.start)?;
        }
        Some((low, high))
    }

    /// Whether the store keeps different lanes apart: `Err` says in which way it does not.
    pub(crate) fn keeps_lanes_apart(&self) -> Result<(), Shared> {
        if self.lane().is_none() {
            return Ok(());
        }
        let Some(Form { step, span, .. }) = self.form() else {
            return Err(Shared::Unknown);
        };
        if step == Poly::default() {
            return Err(Shared::Same);
        }
        let width = span.1.minus(&span.0);
        if is_less(&width, &magnitude(&step)) {
            Ok(())
        } else {
            Err(Shared::Unknown)
        }
    }
}

/// How two lanes may share the target of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shared {
    /// All lanes store to one element.
    Same,
    /// The index is not `c · i + d`.
    Unknown,
}

/// The end of an index's range along one loop: `at` where it grows with the loop, `other` where it falls.
fn extreme(index: &Poly, repeat: &Repeat, at_rising: &Poly, at_falling: &Poly) -> Option<Poly> {
    if !index.depends_on(repeat.index) {
        return Some(index.clone());
    }
    let (slope, _) = index.linear_in(repeat.index)?;
    match sign(&slope)? {
        Sign::Rising => index.substitute(repeat.index, at_rising),
        Sign::Falling => index.substitute(repeat.index, at_falling),
    }
}

/// Which way an index goes with a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Rising,
    Falling,
}

/// The sign of a slope, if it is known.
fn sign(slope: &Poly) -> Option<Sign> {
    if slope.is_nonnegative() {
        Some(Sign::Rising)
    } else if Poly::default().minus(slope).is_nonnegative() {
        Some(Sign::Falling)
    } else {
        None
    }
}

/// A step without its sign; 0, which nothing is less than, where the sign is not known.
fn magnitude(step: &Poly) -> Poly {
    match sign(step) {
        Some(Sign::Rising) => step.clone(),
        Some(Sign::Falling) => Poly::default().minus(step),
        None => Poly::default(),
    }
}

fn is_less(a: &Poly, b: &Poly) -> bool {
    b.minus(a).minus(&Poly::constant(1)).is_nonnegative()
}

/// Whether two accesses surely touch different elements.
pub(crate) fn disjoint(a: &Access, b: &Access) -> bool {
    if let (Some(x), Some(y)) = (a.form(), b.form())
        && x.is_one_element()
        && y.is_one_element()
        && let Some(distance) = x.base.minus(&y.base).as_constant()
        && let (Some(x_step), Some(y_step)) = (x.step.as_constant(), y.step.as_constant())
    {
        let step = gcd(x_step, y_step);
        if if step == 0 {
            distance != 0
        } else {
            distance % step != 0
        } {
            return true;
        }
    }
    let (Some((a_low, a_high)), Some((b_low, b_high))) = (a.range(), b.range()) else {
        return false;
    };
    is_less(&a_high, &b_low) || is_less(&b_high, &a_low)
}

/// Whether every element that both touch is touched by one and the same work-item.
///
/// Lanes of loops with the same extent are dealt to work-items in the same way; see `schedule`.
pub(crate) fn same_work_item(a: &Access, b: &Access) -> bool {
    let (Some(x), Some(y)) = (a.form(), b.form()) else {
        return false;
    };
    match (&a.actor, &b.actor) {
        (Actor::Lane(_, n), Actor::Lane(_, m)) => {
            // Less than a step apart, wherever in their loops they are.
            let distance = x.base.minus(&y.base);
            let most = distance.plus(&x.span.1).minus(&y.span.0);
            let least = distance.plus(&x.span.0).minus(&y.span.1);
            let step = magnitude(&x.step);
            let near = is_less(&most, &step) && is_less(&Poly::default().minus(&least), &step);
            n == m && x.step == y.step && near
        }
        (Actor::One(_, n, k), Actor::One(_, m, l)) => n == m && k == l,
        (Actor::Lane(_, n), Actor::One(_, m, only)) => n == m && alone(&x, &y, only),
        (Actor::One(_, n, only), Actor::Lane(_, m)) => n == m && alone(&y, &x, only),
        (Actor::Group, Actor::Group) => a.write && b.write,
        _ => false,
    }
}

impl Form {
    /// Whether no sequential loop moves it.
    fn is_one_element(&self) -> bool {
        self.span.0 == self.span.1
    }
}

/// Whether the element that lane `only` touches alone is, among all lanes, that same lane's.
fn alone(all: &Form, one: &Form, only: &Poly) -> bool {
    let element = all.step.times(only).plus(&all.base);
    let known = all.step.as_constant().is_some_and(|step| step != 0);
    known && all.is_one_element() && one.is_one_element() && element == one.base
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
