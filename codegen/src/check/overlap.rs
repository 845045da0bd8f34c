//! Whether two accesses can meet in one element through different work-items.

use super::access::{Access, Actor, Repeat};
use super::poly::Poly;
use crate::ir::LocalId;

/// The index of an access as `step · lane + base + span`, where `span` runs over sequential loops in the lane.
#[derive(Debug)]
struct Form {
    step: i128,
    base: Poly,
    /// Least and greatest of what sequential loops add.
    span: (i128, i128),
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

    /// The linear form, if the index has one with constant factors.
    fn form(&self) -> Option<Form> {
        let mut base = self.element();
        let mut span = (0, 0);
        for repeat in &self.repeats {
            if base.depends_on(repeat.index) {
                let (slope, rest) = base.linear_in(repeat.index)?;
                let slope = slope.as_constant()?;
                let ends = [
                    repeat.start.as_constant()? * slope,
                    (repeat.end.as_constant()? - 1) * slope,
                ];
                span = (span.0 + ends[0].min(ends[1]), span.1 + ends[0].max(ends[1]));
                base = rest;
            }
        }
        let (step, base) = match self.lane() {
            Some(lane) => {
                let (step, base) = base.linear_in(lane)?;
                (step.as_constant()?, base)
            }
            None => (0, base),
        };
        Some(Form { step, base, span })
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
        match self.form() {
            None => Err(Shared::Unknown),
            Some(form) if form.step == 0 => Err(Shared::Same),
            Some(form) if form.span.1 - form.span.0 >= form.step.abs() => Err(Shared::Unknown),
            Some(_) => Ok(()),
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
    let rising = slope.is_nonnegative();
    let falling = Poly::default().minus(&slope).is_nonnegative();
    match (rising, falling) {
        (true, _) => index.substitute(repeat.index, at_rising),
        (_, true) => index.substitute(repeat.index, at_falling),
        _ => None,
    }
}

/// Whether two accesses surely touch different elements.
pub(crate) fn disjoint(a: &Access, b: &Access) -> bool {
    if let (Some(x), Some(y)) = (a.form(), b.form())
        && x.span == (0, 0)
        && y.span == (0, 0)
        && let Some(distance) = x.base.minus(&y.base).as_constant()
    {
        let step = gcd(x.step, y.step);
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
    let before = |high: &Poly, low: &Poly| low.minus(high).minus(&Poly::constant(1)).is_nonnegative();
    before(&a_high, &b_low) || before(&b_high, &a_low)
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
            let Some(distance) = x.base.minus(&y.base).as_constant() else {
                return false;
            };
            let least = distance + x.span.0 - y.span.1;
            let greatest = distance + x.span.1 - y.span.0;
            n == m && x.step == y.step && x.step != 0 && least > -x.step.abs() && greatest < x.step.abs()
        }
        (Actor::One(_, n, k), Actor::One(_, m, l)) => n == m && k == l,
        (Actor::Lane(_, n), Actor::One(_, m, only)) => n == m && alone(&x, &y, only),
        (Actor::One(_, n, only), Actor::Lane(_, m)) => n == m && alone(&y, &x, only),
        (Actor::Group, Actor::Group) => a.write && b.write,
        _ => false,
    }
}

/// Whether the element that lane `only` touches alone is, among all lanes, that same lane's.
fn alone(all: &Form, one: &Form, only: &Poly) -> bool {
    let element = Poly::constant(all.step).times(only).plus(&all.base);
    all.step != 0 && all.span == (0, 0) && one.span == (0, 0) && element == one.base
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
