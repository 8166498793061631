//! Times as recordings write them.

use super::json::Node;

/// Milliseconds since the Unix epoch: of an ISO 8601 text, or of a number of seconds or milliseconds.
#[must_use]
pub(super) fn millis(node: Option<&Node<'_>>) -> Option<u64> {
    let node = node?;
    if let Some(n) = node.f64() {
        // Seconds of the year 5138 are milliseconds of 1973.
        let millis = if n < 1e11 { n * 1000.0 } else { n };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        return (0.0..1e15).contains(&millis).then_some(millis.round() as u64);
    }
    let text = node.str()?;
    let text = text.trim();
    let stamp = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        // Without an offset it is taken as UTC: what matters are differences.
        let local: jiff::civil::DateTime = text.parse().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(local).ok()
    })?;
    u64::try_from(stamp.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_spellings_of_a_time() {
        let of = |json: &str| millis(Some(&Node::parse(json.as_bytes()).unwrap()));
        // 2025-06-14T11:00:30Z is 1749898830 by `date -u -d … +%s`.
        assert_eq!(of("\"2025-06-14T11:00:30Z\""), Some(1_749_898_830_000));
        assert_eq!(of("\"2025-06-14T13:00:30.250+02:00\""), Some(1_749_898_830_250));
        assert_eq!(of("\"2025-06-14T11:00:30.123456\""), Some(1_749_898_830_123));
        assert_eq!(of("1749898830"), Some(1_749_898_830_000));
        assert_eq!(of("1749898830.5"), Some(1_749_898_830_500));
        assert_eq!(of("1749898830123"), Some(1_749_898_830_123));
        assert_eq!(of("\"yesterday\""), None);
        assert_eq!(of("NaN"), None);
        assert_eq!(of("-5"), None);
    }
}
