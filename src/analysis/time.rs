//! Points in time as traces write them.

/// Seconds of an ISO 8601 instant such as `2026-01-02T03:04:05.6Z`, counted from year 0; none where
/// it isn't one.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.splitn(3, '-').map(str::parse::<u64>);
    let (year, month, day) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || year > 9999 {
        return None;
    }
    let zone_at = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(zone_at);
    let mut parts = clock.split('.').next()?.split(':').map(str::parse::<u64>);
    let (hours, minutes) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let seconds = parts.next().unwrap_or(Ok(0)).ok()?;
    // Days by the civil calendar, years beginning in March.
    let (year, month) = if month < 3 {
        (year.checked_sub(1)?, month + 9)
    } else {
        (year, month - 3)
    };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    let local = days * 86_400 + hours * 3600 + minutes * 60 + seconds;
    let offset = zone_offset(zone)?;
    local.checked_add_signed(-offset)
}

/// Seconds that a zone is ahead.
fn zone_offset(zone: &str) -> Option<i64> {
    let Some(digits) = zone.strip_prefix(['+', '-']) else {
        return Some(0);
    };
    let digits = digits.replace(':', "");
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = digits.get(2..).unwrap_or("0").parse().unwrap_or(0);
    let offset = hours * 3600 + minutes * 60;
    Some(if zone.starts_with('-') {
        -offset
    } else {
        offset
    })
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn instants_can_be_compared() {
        let gap = |a: &str, b: &str| seconds(b).zip(seconds(a)).map(|(b, a)| b - a);
        assert_eq!(gap("2026-02-28T23:59:59Z", "2026-03-01T00:00:01Z"), Some(2));
        assert_eq!(
            gap("2024-02-28T00:00:00Z", "2024-03-01T00:00:00Z"),
            Some(172_800)
        );
        assert_eq!(
            gap("2026-01-01T00:00:00.5+01:00", "2026-01-01T00:00:00Z"),
            Some(3600)
        );
        assert_eq!(seconds("yesterday"), None);
        assert_eq!(seconds("2026-13-01T00:00:00Z"), None);
    }
}
