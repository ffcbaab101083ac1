//! Finds integer coefficients of a quadratic polynomial from bounds on its value at many points.
//!
//! The bounds are half-spaces in (c0, c1, c2). The distance from the tightest upper bound on c0 to the tightest lower
//! bound is a convex function of (c1, c2). Its minimum is found over a few points; points that the minimum violates are
//! added until none is left. The integer solutions are then found around it.

use ptxvm_num::mufu::Polynomial;

/// A place with the factors of c1 and c2 there and the bounds of the polynomial without its constant.
#[derive(Clone, Copy)]
pub struct Point {
    pub c1: i64,
    pub c2: i64,
    pub low: i64,
    pub high: i64,
}

/// Coefficients: c0, c1, c2.
pub type Triple = (i64, i64, i64);

/// A gap smaller than this may be an error of floating point: bounds are whole numbers.
const NOISE: f64 = 0.25;

/// The whole coefficients that satisfy all points; they give the same answers at all of them.
pub fn solve(shape: &Polynomial, points: &[Point]) -> Result<Vec<Triple>, String> {
    let step = (points.len() / 40).max(1);
    let mut working: Vec<Point> = points.iter().step_by(step).copied().collect();
    loop {
        let (gap, c1, c2) = minimum(&working);
        let (low, high) = tightest(points, c1, c2);
        if gap > NOISE {
            return Err(format!("no coefficients fit: the best leave a gap of {gap}"));
        }
        if points[low].lower(c1, c2) - points[high].upper(c1, c2) <= NOISE {
            break;
        }
        working.extend([points[low], points[high]]);
    }
    loop {
        let candidates = whole(shape, &working);
        let before = working.len();
        for &(c0, c1, c2) in &candidates {
            let value = |p: &Point| (c0 << shape.c0_shift) + c1 * p.c1 + c2 * p.c2;
            working.extend(points.iter().find(|p| !(p.low..=p.high).contains(&value(p))));
        }
        match candidates.len() {
            0 => return Err("no whole coefficients fit".into()),
            _ if working.len() == before => return Ok(candidates),
            _ => {}
        }
    }
}

impl Point {
    /// The bounds that this point puts on the constant term.
    fn lower(&self, c1: f64, c2: f64) -> f64 {
        self.low as f64 - c1 * self.c1 as f64 - c2 * self.c2 as f64
    }

    fn upper(&self, c1: f64, c2: f64) -> f64 {
        self.high as f64 - c1 * self.c1 as f64 - c2 * self.c2 as f64
    }
}

/// The points with the tightest lower and upper bound.
fn tightest(points: &[Point], c1: f64, c2: f64) -> (usize, usize) {
    let (mut low, mut high) = ((f64::MIN, 0), (f64::MAX, 0));
    for (i, point) in points.iter().enumerate() {
        let (l, h) = (point.lower(c1, c2), point.upper(c1, c2));
        low = if l > low.0 { (l, i) } else { low };
        high = if h < high.0 { (h, i) } else { high };
    }
    (low.1, high.1)
}

/// The least gap for a given c2, and the c1 of it: the slope at a place tells on which side the minimum lies.
fn best_c1(points: &[Point], c2: f64) -> (f64, f64) {
    let (mut left, mut right) = (-1.0, 65536.0);
    let mut best = (f64::MAX, 0.0);
    for _ in 0..60 {
        let c1 = (left + right) / 2.0;
        let (low, high) = tightest(points, c1, c2);
        let gap = points[low].lower(c1, c2) - points[high].upper(c1, c2);
        best = if gap < best.0 { (gap, c1) } else { best };
        match points[low].c1.cmp(&points[high].c1) {
            std::cmp::Ordering::Less => right = c1,
            std::cmp::Ordering::Greater => left = c1,
            std::cmp::Ordering::Equal => break,
        }
    }
    best
}

/// The least gap of all, with its c1 and c2.
fn minimum(points: &[Point]) -> (f64, f64, f64) {
    let (mut left, mut right) = (-1.0, 65536.0);
    for _ in 0..80 {
        let (a, b) = (left + (right - left) / 3.0, right - (right - left) / 3.0);
        if best_c1(points, a).0 < best_c1(points, b).0 { right = b } else { left = a }
    }
    let c2 = (left + right) / 2.0;
    let (gap, c1) = best_c1(points, c2);
    (gap, c1, c2)
}

/// Every whole solution for these points.
fn whole(shape: &Polynomial, points: &[Point]) -> Vec<Triple> {
    let mut found = Vec::new();
    let (_, _, centre) = minimum(points);
    around(centre, |c2| {
        let (gap, centre) = best_c1(points, c2);
        if gap > NOISE {
            return false;
        }
        around(centre, |c1| {
            let (low, high) = tightest(points, c1, c2);
            let (low, high) = (points[low].lower(c1, c2) as i64, points[high].upper(c1, c2) as i64);
            let (first, last) = (((low - 1) >> shape.c0_shift) + 1, high >> shape.c0_shift);
            found.extend((first..=last).map(|c0| (c0, c1 as i64, c2 as i64)));
            low <= high
        });
        true
    });
    found.sort_unstable();
    found
}

/// Calls `try_at` with the whole numbers on both sides of a place, outwards, until it says no.
fn around(centre: f64, mut try_at: impl FnMut(f64) -> bool) {
    let first = centre.floor();
    let mut at = first;
    while at >= 0.0 && try_at(at) {
        at -= 1.0;
    }
    at = first + 1.0;
    while at <= 65535.0 && try_at(at) {
        at += 1.0;
    }
}
