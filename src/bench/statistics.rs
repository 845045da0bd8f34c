//! What many measurements of one thing come to.

use serde::Serialize;

/// The median of measurements, with the quartiles about it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    /// A quarter of the measurements are below it.
    pub(crate) low: f64,
    /// Half of them are.
    pub(crate) median: f64,
    /// Three quarters of them are.
    pub(crate) high: f64,
}

impl Spread {
    /// That of `measurements`, between two of which lies what falls between them.
    ///
    /// # Panics
    /// If there are none.
    pub(crate) fn of(mut measurements: Vec<f64>) -> Self {
        measurements.sort_by(f64::total_cmp);
        let quarter = |quarters: usize| {
            let place = (measurements.len() - 1) as f64 * quarters as f64 / 4.0;
            let (below, above) = (place.floor() as usize, place.ceil() as usize);
            let part = place - place.floor();
            measurements[below] * (1.0 - part) + measurements[above] * part
        };
        Self {
            low: quarter(1),
            median: quarter(2),
            high: quarter(3),
        }
    }

    /// That of the measurements times `factor`, which is above 0.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            low: self.low * factor,
            median: self.median * factor,
            high: self.high * factor,
        }
    }
}

/// The geometric mean, 1 of none.
pub(crate) fn geometric_mean(factors: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for factor in factors {
        sum += factor.ln();
        count += 1;
    }
    if count == 0 {
        1.0
    } else {
        (sum / f64::from(count)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_measurements() {
        let spread = Spread::of(vec![4.0, 1.0, 3.0, 2.0]);
        assert_eq!(
            spread,
            Spread {
                low: 1.75,
                median: 2.5,
                high: 3.25
            }
        );
        let one = Spread::of(vec![7.0]);
        assert_eq!((one.low, one.median, one.high), (7.0, 7.0, 7.0));
        assert_eq!(Spread::of(vec![1.0, 9.0, 2.0]).times(2.0).median, 4.0);
    }

    #[test]
    fn one_outlier_moves_no_median() {
        let mut times = vec![1.0; 9];
        times.push(1000.0);
        assert_eq!(Spread::of(times).high, 1.0);
    }

    #[test]
    fn twice_and_half_as_fast_cancel() {
        assert!((geometric_mean([2.0, 0.5, 1.0]) - 1.0).abs() < 1e-12);
        assert!((geometric_mean([4.0, 1.0]) - 2.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), 1.0);
    }
}
