//! What is worth another try, and when.
//!
//! Invariant: pure; the clock is handed in.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// Whether a response of this status may be different the next time.
#[must_use]
pub fn worth_it(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502..=504 | 506..=599)
}

/// What a `Retry-After` header asks for: seconds, or a date; a date that has passed is no wait.
#[must_use]
pub fn after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    let until = DateTimeParser::new().parse_timestamp(header).ok()?;
    Some(Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO))
}

/// The wait before try `n + 1` where the server asks for none: doubling from `first`.
#[must_use]
pub fn backoff(first: Duration, n: u32) -> Duration {
    first.saturating_mul(2u32.saturating_pow(n.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_forms_of_retry_after() {
        let now: Timestamp = "2015-10-21T07:27:30Z".parse().unwrap();
        let seconds = |h| after(h, now).map(|d| d.as_secs_f64());
        assert_eq!(seconds("2"), Some(2.0));
        assert_eq!(seconds(" 1.5 "), Some(1.5));
        assert_eq!(seconds("Wed, 21 Oct 2015 07:28:00 GMT"), Some(30.0));
        assert_eq!(seconds("Wed, 21 Oct 2015 07:00:00 GMT"), Some(0.0));
        assert_eq!(after("1e300", now), Some(Duration::MAX));
        for bad in ["", "-1", "soon", "NaN"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn statuses_and_waits() {
        let yes: Vec<u16> =
            [200, 301, 400, 401, 404, 408, 413, 422, 429, 500, 501, 502, 503, 504, 505, 529].into_iter().filter(|s| worth_it(*s)).collect();
        assert_eq!(yes, [408, 429, 500, 502, 503, 504, 529]);
        let first = Duration::from_secs(1);
        assert_eq!((1..=4).map(|n| backoff(first, n).as_secs()).collect::<Vec<_>>(), [1, 2, 4, 8]);
        assert!(backoff(first, u32::MAX) > Duration::from_secs(1 << 30));
    }
}
