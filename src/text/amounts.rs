//! Amounts as people read them: bytes, counts, times.

/// A size, such as `68 kB`.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..999_500 => format!("{} kB", (bytes + 500) / 1000),
        999_500..999_950_000 => tenths(bytes, 1_000_000, "MB"),
        _ => tenths(bytes, 1_000_000_000, "GB"),
    }
}

/// A count, such as `4.1k`.
pub fn count(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..10_000 => tenths(count, 1000, "k").replace(' ', ""),
        10_000..999_500 => format!("{}k", (count + 500) / 1000),
        999_500..999_950_000 => tenths(count, 1_000_000, "M").replace(' ', ""),
        _ => tenths(count, 1_000_000_000, "G").replace(' ', ""),
    }
}

/// So many of something, such as `1 turn` or `3 turns`.
pub fn of(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn tenths(amount: u64, unit: u64, name: &str) -> String {
    let tenths = u128::from(amount) * 10 + u128::from(unit) / 2;
    let tenths = tenths / u128::from(unit);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// A time that passed, in its two largest units: `350 ms`, `4.2 s`, `3 min 05 s`, `2 h 10 min`, `5 d`.
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{}.{} s", seconds, ms % 1000 / 100),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// How long ago something was, in one unit: `3 s`, `12 min`, `5 h`, `40 d`.
pub fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded() {
        let sizes = [
            0,
            999,
            1000,
            68_400,
            999_499,
            999_500,
            204_000_000,
            13_960_000_000,
        ];
        let shown = [
            "0 B", "999 B", "1 kB", "68 kB", "999 kB", "1.0 MB", "204.0 MB", "14.0 GB",
        ];
        assert_eq!(sizes.map(bytes), shown);
        let counts = [0, 999, 4130, 9999, 51_933, 3_650_000, u64::MAX];
        let shown = ["0", "999", "4.1k", "10.0k", "52k", "3.7M", "18446744073.7G"];
        assert_eq!(counts.map(count), shown);
        let times = [350, 4200, 185_000, 7_800_000, 432_000_000];
        assert_eq!(
            times.map(duration),
            ["350 ms", "4.2 s", "3 min 05 s", "2 h 10 min", "5 d"]
        );
        assert_eq!(
            [3, 720, 18_000, 3_456_000].map(age),
            ["3 s", "12 min", "5 h", "40 d"]
        );
    }
}
