//! The Gregorian calendar and times as ISO 8601, for traces and for PTC-Lisp's dates.

/// Days from 1970-01-01 to a date.
pub(crate) const fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the leap day is their last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day that are some days from 1970-01-01.
pub(crate) const fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

/// Milliseconds since 1970 of a time written as ISO 8601; without an offset it is UTC.
pub(crate) fn iso_ms(text: &str) -> Option<i64> {
    let (date, time) = text.trim().split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let mut next = || date.next()?.ok();
    let (year, month, day) = (next()?, next()?, next()?);
    let (time, offset) = match time.find(['Z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let mut parts = time.splitn(3, ':');
    let (hour, minute) = (
        parts.next()?.parse::<i64>().ok()?,
        parts.next()?.parse::<i64>().ok()?,
    );
    let (second, fraction) = match parts.next() {
        Some(text) => text.split_once('.').unwrap_or((text, "")),
        None => ("0", ""),
    };
    let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
    let sane = (1..=12).contains(&month) && (1..=31).contains(&day) && (0..=9999).contains(&year);
    let sane = sane && (0..24).contains(&hour) && (0..60).contains(&minute);
    if !sane {
        return None;
    }
    let shift = match offset.strip_prefix(['+', '-']) {
        Some(digits) => {
            let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
            let hours = digits.get(..2)?.parse::<i64>().ok()?;
            let minutes = digits.get(2..4).map_or(Ok(0), str::parse::<i64>).ok()?;
            let sign = if offset.starts_with('-') { -1 } else { 1 };
            sign * (hours * 60 + minutes)
        }
        None => 0,
    };
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - shift;
    let second = second
        .parse::<i64>()
        .ok()
        .filter(|second| (0..=60).contains(second))?;
    Some((minutes * 60 + second) * 1000 + millis.parse::<i64>().ok()?)
}

/// A time in milliseconds since 1970 as ISO 8601.
pub(crate) fn iso_of_ms(ms: i64) -> Option<String> {
    // Years 0 to 9999.
    if !(-62_167_219_200_000..253_402_300_800_000).contains(&ms) {
        return None;
    }
    let (days, of_day) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, day) = date(days);
    let (seconds, millis) = (of_day / 1000, of_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for ms in [0, 951_782_399_999, 951_782_400_000, 1_785_754_136_250, -1] {
            let text = iso_of_ms(ms).expect("a time");
            assert_eq!(iso_ms(&text), Some(ms), "{text}");
        }
        assert_eq!(iso_of_ms(0).as_deref(), Some("1970-01-01T00:00:00.000Z"));
        assert_eq!(iso_ms("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(iso_ms("1970-01-01 00:00:01.5"), Some(1500));
        assert_eq!(iso_ms("[trimmed for fixture]"), None);
    }

    #[test]
    fn times_of_traces_are_read() {
        assert_eq!(iso_ms("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(
            iso_ms("2024-02-29T12:30:15.5+01:00"),
            Some(1_709_206_215_500)
        );
        assert_eq!(
            iso_ms("2025-04-30T16:45:41.913899"),
            Some(1_746_031_541_913)
        );
        assert_eq!(iso_ms("soon"), None);
        assert_eq!(
            iso_of_ms(1_709_206_215_500),
            Some("2024-02-29T11:30:15.500Z".to_owned())
        );
        assert_eq!(iso_of_ms(0), Some("1970-01-01T00:00:00.000Z".to_owned()));
    }
}
