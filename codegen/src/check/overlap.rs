//! Whether two accesses can meet in one element through different work-items.

use super::access::{Access, Actor, Repeat, contradict};
use super::poly::Poly;
use crate::ir::LocalId;

/// The index of an access as `step · lane + base + span`, where `span` runs over sequential loops in the lane.
#[derive(Debug)]
struct Form {
    step: Poly,
    base: Poly,
    /// Least and greatest of what sequential loops add.
    span: (Poly, Poly),
    /// What the loops that step over all lanes add multiples of, so that the rest is known but for these: `width` in
    /// `t * width + i`, for `i` in `lanes(width)`.
    modulus: Option<Poly>,
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
        let mut moduli = Vec::new();
        let own: Vec<LocalId> = self.own_loops().collect();
        let moves = |poly: &Poly| own.iter().any(|index| poly.depends_on(*index));
        for repeat in &self.repeats {
            let (slope, rest) = base.linear_in(repeat.index)?;
            base = rest;
            if self.steps_over_lanes(&slope) && !moves(&slope) {
                moduli.push(magnitude(&slope));
                continue;
            }
            let first = slope.times(&repeat.start);
            let last = slope.times(&repeat.end.minus(&Poly::constant(1)));
            let (low, high) = match sign(&slope)? {
                Sign::Rising => (first, last),
                Sign::Falling => (last, first),
            };
            span = (span.0.plus(&low), span.1.plus(&high));
        }
        // Ends that differ from lane to lane, or from round to round, bound nothing.
        if moves(&span.0) || moves(&span.1) {
            return None;
        }
        let (step, base) = match self.lane() {
            Some(lane) => base.linear_in(lane)?,
            None => (Poly::default(), base),
        };
        let divides_all = |m: &&Poly| moduli.iter().all(|other| other.is_multiple_of(m));
        let modulus = moduli.iter().find(divides_all).cloned();
        (modulus.is_some() || moduli.is_empty()).then_some(Form {
            step,
            base,
            span,
            modulus,
        })
    }

    /// Whether a loop that steps by `slope` goes over as many elements as all lanes reach in one round.
    fn steps_over_lanes(&self, slope: &Poly) -> bool {
        let Actor::Lane(lane, extent) = &self.actor else {
            return false;
        };
        let reach = self
            .index
            .linear_in(*lane)
            .map(|(step, _)| magnitude(&step).times(extent));
        reach.is_some_and(|reach| {
            let room = magnitude(slope).minus(&reach);
            reach != Poly::default() && room.is_nonnegative_by(&self.uniform_facts())
        })
    }

    /// What is at least 0 in all lanes and rounds that do the access.
    fn uniform_facts(&self) -> Vec<Poly> {
        let own: Vec<LocalId> = self.own_loops().collect();
        let is_uniform = |fact: &&Poly| !own.iter().any(|index| fact.depends_on(*index));
        self.holds.iter().filter(is_uniform).cloned().collect()
    }

    /// Indices that differ between the accesses that the statement makes in one round of the group.
    fn own_loops(&self) -> impl Iterator<Item = LocalId> {
        let lane = match self.actor {
            Actor::Lane(lane, _) | Actor::One(lane, ..) => Some(lane),
            Actor::Group => None,
        };
        self.repeats.iter().map(|repeat| repeat.index).chain(lane)
    }

    /// The loops that the access stands in, from the inside out, each as far as the conditions around leave it.
    pub(crate) fn loops(&self) -> Vec<Repeat> {
        let lane = match &self.actor {
            Actor::Lane(index, extent) | Actor::One(index, extent, _) => Some(Repeat {
                index: *index,
                start: Poly::default(),
                end: extent.clone(),
            }),
            Actor::Group => None,
        };
        let all = self
            .repeats
            .iter()
            .rev()
            .chain(&lane)
            .chain(self.rounds.iter().rev());
        let mut inner = Vec::new();
        let mut loops = Vec::new();
        for repeat in all {
            loops.push(repeat.narrowed(&self.holds, &inner));
            inner.push(repeat.index);
        }
        loops
    }

    /// Least and greatest element that it touches, as far as that can be said.
    pub(crate) fn range(&self) -> Option<(Poly, Poly)> {
        let mut low = self.index.clone();
        let mut high = self.index.clone();
        // From the inside out, since an inner loop's ends may depend on the index of an outer one.
        for repeat in self.loops() {
            let last = repeat.end.minus(&Poly::constant(1));
            low = extreme(&low, &repeat, &repeat.start, &last)?;
            high = extreme(&high, &repeat, &last, &repeat.start)?;
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
        if is_less(&width, &magnitude(&step), &self.uniform_facts()) {
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

fn is_less(a: &Poly, b: &Poly, facts: &[Poly]) -> bool {
    b.minus(a).minus(&Poly::constant(1)).is_nonnegative_by(facts)
}

/// Whether two accesses surely touch different elements, or one of them does not happen where the other does.
pub(crate) fn disjoint(a: &Access, b: &Access) -> bool {
    let facts = [a.uniform_facts(), b.uniform_facts()].concat();
    if contradict(&facts) {
        return true;
    }
    if let (Some(x), Some(y)) = (a.form(), b.form())
        && let (Some(x_first), Some(y_first)) = (x.one_element(), y.one_element())
        && let Some(distance) = x_first.minus(&y_first).as_constant()
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
    is_less(&a_high, &b_low, &facts) || is_less(&b_high, &a_low, &facts)
}

/// Whether every element that both touch is touched by one and the same work-item.
///
/// Lanes of loops with the same extent are dealt to work-items in the same way; see `schedule`. Loops that add lanes up deal them
/// in a way of their own.
pub(crate) fn same_work_item(a: &Access, b: &Access) -> bool {
    if a.one_by_one != b.one_by_one && a.actor != Actor::Group && b.actor != Actor::Group {
        return false;
    }
    let (Some(x), Some(y)) = (a.form(), b.form()) else {
        return false;
    };
    match (&a.actor, &b.actor) {
        (Actor::Lane(_, n), Actor::Lane(_, m)) => {
            let facts = [a.uniform_facts(), b.uniform_facts()].concat();
            n == m && x.step == y.step && x.is_near(&y, &facts)
        }
        (Actor::One(_, n, k), Actor::One(_, m, l)) => n == m && k == l,
        (Actor::Lane(_, n), Actor::One(_, m, only)) => n == m && alone(&x, &y, only),
        (Actor::One(_, n, only), Actor::Lane(_, m)) => n == m && alone(&y, &x, only),
        (Actor::Group, Actor::Group) => a.write && b.write,
        _ => false,
    }
}

impl Form {
    /// What is added to `step · lane`, if no sequential loop moves it.
    fn one_element(&self) -> Option<Poly> {
        let still = self.span.0 == self.span.1 && self.modulus.is_none();
        still.then(|| self.base.plus(&self.span.0))
    }

    /// Whether both are less than a step apart, wherever in their loops they are.
    fn is_near(&self, other: &Form, facts: &[Poly]) -> bool {
        let mut distance = self.base.minus(&other.base);
        match (&self.modulus, &other.modulus) {
            (Some(a), Some(b)) if a != b => return false,
            // Elements that are the same are so but for multiples, too, and lanes reach less than one.
            (Some(modulus), _) | (None, Some(modulus)) => distance = distance.without_multiples_of(modulus),
            (None, None) => {}
        }
        let most = distance.plus(&self.span.1).minus(&other.span.0);
        let least = distance.plus(&self.span.0).minus(&other.span.1);
        let step = magnitude(&self.step);
        is_less(&most, &step, facts) && is_less(&Poly::default().minus(&least), &step, facts)
    }
}

/// Whether the element that lane `only` touches alone is, among all lanes, that same lane's.
fn alone(all: &Form, one: &Form, only: &Poly) -> bool {
    let (Some(first), Some(element)) = (all.one_element(), one.one_element()) else {
        return false;
    };
    let known = all.step.as_constant().is_some_and(|step| step != 0);
    known && all.step.times(only).plus(&first) == element
}

impl Repeat {
    /// The loop as far as conditions leave it, apart from those on the indices of loops inside.
    fn narrowed(&self, holds: &[Poly], inner: &[LocalId]) -> Repeat {
        let mut narrowed = self.clone();
        for fact in holds {
            let Some((slope, rest)) = fact.linear_in(self.index) else {
                continue;
            };
            if inner.iter().any(|index| rest.depends_on(*index)) {
                continue;
            }
            match slope.as_constant() {
                // index + rest is at least 0: it begins at -rest.
                Some(1) => {
                    let start = Poly::default().minus(&rest);
                    if start.minus(&narrowed.start).is_nonnegative_by(holds) {
                        narrowed.start = start;
                    }
                }
                // rest - index is at least 0: it ends behind rest.
                Some(-1) => {
                    let end = rest.plus(&Poly::constant(1));
                    if narrowed.end.minus(&end).is_nonnegative_by(holds) {
                        narrowed.end = end;
                    }
                }
                _ => {}
            }
        }
        narrowed
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
