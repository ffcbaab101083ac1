//! Functions that Rust's library does not have, for arguments between 0 and 20.

use std::f64::consts::PI;

/// The error function, by its series and, where that cancels, by the continued fraction of its complement.
pub fn erf(x: f64) -> f64 {
    if x < 3.0 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term.abs() > 1e-18 * sum.abs() {
            n += 1.0;
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        return 2.0 / PI.sqrt() * sum;
    }
    let mut fraction = x;
    for n in (1..=60).rev() {
        fraction = x + f64::from(n) / 2.0 / fraction;
    }
    1.0 - (-x * x).exp() / (PI.sqrt() * fraction)
}

/// The logarithm of the gamma function, by Stirling's series far out and the recurrence back.
pub fn ln_gamma(x: f64) -> f64 {
    let (mut shift, mut z) = (0.0, x);
    while z < 20.0 {
        shift += z.ln();
        z += 1.0;
    }
    let inverse = 1.0 / (z * z);
    let series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / z;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * PI).ln() + series - shift
}

/// The Bessel function of order 0, by its series.
pub fn j0(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0f64, 1.0f64, 0.0);
    while n < 60.0 {
        n += 1.0;
        term *= -x * x / (4.0 * n * n);
        sum += term;
    }
    sum
}

#[test]
fn functions_are_right_where_they_are_known() {
    assert!((erf(0.5) - 0.520_499_877_813_046_5).abs() < 1e-15);
    assert!((erf(3.5) - 0.999_999_256_901_627_7).abs() < 1e-15);
    assert!((ln_gamma(5.0) - 24f64.ln()).abs() < 1e-13);
    assert!((ln_gamma(0.5) - PI.sqrt().ln()).abs() < 1e-13);
    assert!((j0(2.404_825_557_695_773)).abs() < 1e-14);
}
