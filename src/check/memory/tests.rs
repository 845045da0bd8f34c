//! Whatever a device does wrong is found.

use super::*;
use crate::native::Shadow;

/// Three rows of five, seven apart, and what a device left of it.
fn rows() -> Guarded<f16> {
    let extents = vec![Extent { count: 3, stride: 7 }, Extent { count: 5, stride: 1 }];
    let mut guarded = Guarded::new(
        Place {
            extents,
            shifted: true,
        },
        1,
        Filling::Numbers { exact: false },
    );
    guarded.after = guarded.before.clone();
    guarded
}

/// Indices of every element of the shape, with its place in the guarded memory.
fn positions(guarded: &Guarded<f16>) -> impl Iterator<Item = (Vec<i64>, usize)> {
    let start = guarded.start;
    guarded.rows().flat_map(move |row| {
        (0..row.len).map(move |i| ([&row.index[..], &[i as i64]].concat(), start + row.at + i))
    })
}

fn bumped(element: f16) -> f16 {
    f16::from_bits(element.to_bits() ^ 1)
}

#[test]
fn untouched_memory_is_right() {
    let judgement = rows().judge(Expected::Unchanged);
    assert_eq!(
        judgement,
        Judgement {
            elements: 15,
            ..Judgement::default()
        }
    );
}

#[test]
fn the_pattern_is_as_wide_as_promised() {
    let guarded = rows();
    assert_eq!(guarded.span, 2 * 7 + 5);
    assert!(guarded.start * 2 >= 256 && (guarded.before.len() - guarded.start - guarded.span) * 2 >= 256);
}

#[test]
fn every_overwritten_byte_outside_is_found() {
    let guarded = rows();
    let inside: Vec<usize> = positions(&guarded).map(|(_, at)| at).collect();
    for at in (0..guarded.before.len()).filter(|at| !inside.contains(at)) {
        let mut guarded = rows();
        guarded.after[at] = bumped(guarded.after[at]);
        let wrong = guarded
            .judge(Expected::Unchanged)
            .wrong
            .expect("an overwritten pattern is wrong");
        assert_eq!(wrong.at, At::Outside(at as i64 - guarded.start as i64));
    }
}

#[test]
fn every_wrong_bit_inside_is_found_with_its_place() {
    for (index, at) in positions(&rows()) {
        let mut guarded = rows();
        guarded.after[at] = bumped(guarded.after[at]);
        let wrong = guarded
            .judge(Expected::Bits(&guarded.host(), Unsigned::default()))
            .wrong
            .expect("another bit is wrong");
        assert_eq!(wrong.at, At::Inside(index));
    }
}

#[test]
fn results_beyond_the_bound_are_found() {
    let guarded = rows();
    let shadow: Vec<Shadow<f16>> = guarded.shadow().slice::<Shadow<f16>>().to_vec();
    let expected = HostArgument::buffer(shadow);
    assert_eq!(guarded.judge(Expected::Bounds(vec![&expected])).wrong, None);
    let mut guarded = rows();
    let at = guarded.start + 8;
    guarded.after[at] = bumped(guarded.after[at]);
    let judgement = guarded.judge(Expected::Bounds(vec![&expected]));
    assert_eq!(
        judgement.wrong.expect("beyond the bound").at,
        At::Inside(vec![1, 1])
    );
    assert_eq!(judgement.worst, Some((1.0, vec![1, 1])));
}

#[test]
fn empty_buffers_are_all_pattern() {
    let place = Place {
        extents: vec![Extent { count: 0, stride: 8 }, Extent { count: 8, stride: 1 }],
        shifted: false,
    };
    let guarded = Guarded::<f32>::new(place, 1, Filling::Numbers { exact: true });
    assert_eq!(
        (guarded.span, guarded.rows().count(), guarded.before.len()),
        (0, 0, 128)
    );
}
