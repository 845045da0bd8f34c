//! Times of ways to do one thing, which take turns.
//!
//! A batch of launches is submitted and waited for, and the time on the host's clock is shared among them; the queue's own
//! timestamps are not asked for, since recording them costs time.

use std::time::{Duration, Instant};

use oxysycl_runtime::Queue;

use super::BenchError;

/// A batch takes so long at least, so that waiting for it counts for little.
const BATCH: Duration = Duration::from_millis(2);
/// Launches of one batch at most.
const MOST: u32 = 4096;
/// Rounds at least and at most.
const ROUNDS: [u32; 2] = [9, 301];

/// One launch of a way.
pub(crate) type Launch<'a> = &'a dyn Fn() -> Result<(), BenchError>;

/// The seconds that a launch of each of `ways` takes, once for each round. In a round each way runs one batch of equally many
/// launches, and who begins changes from round to round. There are as many rounds as fit into `time`, but a few at least.
pub(crate) fn alternate(
    queue: &Queue,
    ways: &[Launch<'_>],
    time: Duration,
) -> Result<Vec<Vec<f64>>, BenchError> {
    // The first launch of each is slow: the device's driver finishes its code.
    for way in ways {
        batch(queue, way, 2)?;
    }
    let mut launches = 1;
    let mut round = Duration::MAX;
    while launches < MOST {
        let times = ways.iter().map(|way| batch(queue, way, launches));
        let times = times.collect::<Result<Vec<Duration>, _>>()?;
        round = times.iter().sum();
        if times.iter().all(|time| *time >= BATCH) || round >= 4 * BATCH * ways.len() as u32 {
            break;
        }
        launches *= 2;
    }
    let fitting = time.as_nanos() / round.as_nanos().max(1);
    let rounds = (fitting as u32).clamp(ROUNDS[0], ROUNDS[1]);
    let mut seconds = vec![Vec::new(); ways.len()];
    for round in 0..rounds as usize {
        for turn in 0..ways.len() {
            let at = (round + turn) % ways.len();
            let taken = batch(queue, &ways[at], launches)?;
            seconds[at].push(taken.as_secs_f64() / f64::from(launches));
        }
    }
    Ok(seconds)
}

fn batch(queue: &Queue, launch: &Launch<'_>, launches: u32) -> Result<Duration, BenchError> {
    let start = Instant::now();
    for _ in 0..launches {
        launch()?;
    }
    queue.wait()?;
    Ok(start.elapsed())
}
