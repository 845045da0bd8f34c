use std::collections::BTreeSet;

use proc_macro2::Span;

use crate::check::access::{Access, Actor, Repeat};
use crate::check::overlap::{Shared, disjoint, same_work_item};
use crate::check::poly::{Atom, Poly};
use crate::ir::Place;

const LANE: usize = 0;
const OTHER_LANE: usize = 1;
const INNER: usize = 2;

fn number(value: i128) -> Poly {
    Poly::constant(value)
}

fn n() -> Poly {
    Poly::atom(Atom::Param(0))
}

fn access(index: Poly, actor: Actor, write: bool) -> Access {
    Access {
        buffer: 0,
        place: Place::Buffer(0),
        write,
        index,
        actor,
        repeats: vec![],
        rounds: vec![],
        holds: vec![],
        one_by_one: false,
        certain: false,
        span: Span::call_site(),
    }
}

/// `step · lane + offset`, for `n` lanes of the loop with this index.
fn lane(index: usize, step: i128, offset: Poly) -> Access {
    let element = Poly::local(index).times(&number(step)).plus(&offset);
    access(element, Actor::Lane(index, n()), true)
}

fn group(index: Poly, write: bool) -> Access {
    access(index, Actor::Group, write)
}

/// Lane `only` alone.
fn one(index: Poly, only: i128) -> Access {
    access(index, Actor::One(LANE, n(), number(only)), true)
}

/// The same with `s` in `0..rounds` added, run by each lane.
fn repeated(mut access: Access, rounds: i128) -> Access {
    access.index = access.index.plus(&Poly::local(INNER));
    access.repeats.push(Repeat {
        index: INNER,
        start: number(0),
        end: number(rounds),
    });
    access
}

#[test]
fn even_and_odd_never_meet() {
    assert!(disjoint(
        &lane(LANE, 2, number(0)),
        &lane(OTHER_LANE, 2, number(1))
    ));
    assert!(disjoint(
        &lane(LANE, 4, number(1)),
        &lane(OTHER_LANE, 6, number(0))
    ));
    assert!(!disjoint(
        &lane(LANE, 2, number(0)),
        &lane(OTHER_LANE, 2, number(4))
    ));
    assert!(!disjoint(
        &lane(LANE, 2, number(0)),
        &lane(OTHER_LANE, 3, number(1))
    ));
}

#[test]
fn halves_of_a_row_never_meet() {
    assert!(disjoint(&lane(LANE, 1, number(0)), &lane(OTHER_LANE, 1, n())));
    assert!(!disjoint(
        &lane(LANE, 1, number(0)),
        &lane(OTHER_LANE, 1, n().minus(&number(1)))
    ));
}

#[test]
fn neighbours_meet_and_are_not_one_work_item() {
    let (a, b) = (lane(LANE, 1, number(0)), lane(OTHER_LANE, 1, number(1)));
    assert!(!disjoint(&a, &b));
    assert!(!same_work_item(&a, &b));
}

#[test]
fn one_element_of_equal_loops_is_one_work_items() {
    let (a, mut b) = (lane(LANE, 3, n()), lane(OTHER_LANE, 3, n()));
    assert!(same_work_item(&a, &b));
    b.actor = Actor::Lane(OTHER_LANE, n().plus(&number(1)));
    assert!(
        !same_work_item(&a, &b),
        "loops of other lengths are dealt otherwise"
    );
    assert!(!same_work_item(&a, &lane(OTHER_LANE, 1, n())));
}

#[test]
fn a_lanes_own_block_stays_with_it() {
    let block = |index| repeated(lane(index, 4, number(0)), 4);
    assert_eq!(block(LANE).keeps_lanes_apart(), Ok(()));
    assert!(same_work_item(&block(LANE), &block(OTHER_LANE)));
    let wide = repeated(lane(LANE, 4, number(0)), 5);
    assert_eq!(wide.keeps_lanes_apart(), Err(Shared::Unknown));
    assert!(!same_work_item(&wide, &block(OTHER_LANE)));
}

#[test]
fn a_block_may_be_as_wide_as_its_step_whatever_that_is() {
    let block = |rounds: Poly| {
        let mut block = repeated(lane(LANE, 0, number(0)), 1);
        block.index = Poly::local(LANE).times(&n()).plus(&Poly::local(INNER));
        block.repeats[0].end = rounds;
        block
    };
    assert_eq!(block(n()).keeps_lanes_apart(), Ok(()));
    assert!(same_work_item(&block(n()), &block(n())));
    assert_eq!(
        block(n().plus(&number(1))).keeps_lanes_apart(),
        Err(Shared::Unknown)
    );
    let mut stride = block(n());
    stride.repeats.clear();
    stride.index = Poly::local(LANE).times(&n());
    assert_eq!(stride.keeps_lanes_apart(), Err(Shared::Unknown), "it may be 0");
}

#[test]
fn a_store_that_all_lanes_do_is_told_apart_from_one_that_is_unclear() {
    assert_eq!(lane(LANE, 0, number(5)).keeps_lanes_apart(), Err(Shared::Same));
    let hidden = Poly::atom(Atom::Unknown(0, BTreeSet::from([LANE]).into()));
    assert_eq!(
        access(hidden, Actor::Lane(LANE, n()), true).keeps_lanes_apart(),
        Err(Shared::Unknown)
    );
}

#[test]
fn the_group_reads_with_all_and_writes_with_one() {
    let (read, write) = (group(number(0), false), group(number(0), true));
    assert!(!same_work_item(&read, &write));
    assert!(same_work_item(&write, &write));
    assert!(disjoint(&write, &group(number(1), false)));
}

#[test]
fn one_lane_is_itself_in_every_equal_loop() {
    assert!(same_work_item(
        &one(Poly::local(LANE), 3),
        &lane(OTHER_LANE, 1, number(0))
    ));
    assert!(!same_work_item(
        &one(number(4), 3),
        &lane(OTHER_LANE, 1, number(0))
    ));
    assert!(same_work_item(&one(number(9), 3), &one(number(9), 3)));
    assert!(!same_work_item(&one(number(9), 3), &one(number(9), 4)));
}
