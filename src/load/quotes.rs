//! Where the texts of a record of JSON begin and end, found 64 bytes at a time ([`super::lanes`]).

use wide::{CmpEq as _, CmpLt as _, i8x16};

use super::lanes::{self, BLOCK, bits, splat};

/// Puts the places of all quotes that no backslash stands before into `out`, and gives the line as text.
/// None where only a reader of all of it can tell what the line says: it holds control characters in a
/// text, bytes that are no UTF-8, an escape that is none, or half a surrogate pair. A backslash counts
/// wherever it stands.
pub(super) fn find<'a>(line: &'a [u8], out: &mut Vec<u32>) -> Option<&'a str> {
    out.clear();
    let (blocks, rest) = line.as_chunks::<BLOCK>();
    let mut last = [b' '; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    let mut is_escaped = 0;
    for (nth, block) in blocks.iter().chain([&last]).enumerate() {
        let found = Found::of(block);
        let (escaped, next) = lanes::escaped(found.slashes, is_escaped);
        is_escaped = next;
        check(line, nth * BLOCK, escaped & !found.plain)?;
        let mut quotes = found.quotes & !escaped;
        if found.controls != 0 {
            let is_within = 0_u64.wrapping_sub(out.len() as u64 & 1);
            if found.controls & lanes::within(quotes, is_within).0 != 0 {
                return None;
            }
        }
        while quotes != 0 {
            let at = nth * BLOCK + quotes.trailing_zeros() as usize;
            out.push(u32::try_from(at).ok()?);
            quotes &= quotes - 1;
        }
    }
    simdutf8::basic::from_utf8(line).ok()
}

/// Which bytes of a block are what, the first in the lowest bit.
struct Found {
    quotes: u64,
    slashes: u64,
    /// What stands behind the backslash of an escape most often.
    plain: u64,
    /// Control characters.
    controls: u64,
}

impl Found {
    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        let mut found = Self {
            quotes: 0,
            slashes: 0,
            plain: 0,
            controls: 0,
        };
        let (quote, slash, space) = (splat(b'"'), splat(b'\\'), splat(b' '));
        let (line_end, tab) = (splat(b'n'), splat(b't'));
        let (ones, mut controls) = (splat(u8::MAX), splat(0));
        let is_control = |lane: i8x16| lane.cmp_lt(space) & (lane ^ ones);
        let lanes = lanes::lanes(block);
        for (nth, lane) in lanes.into_iter().enumerate() {
            controls |= is_control(lane);
            found.quotes |= bits(lane.cmp_eq(quote), nth);
            found.slashes |= bits(lane.cmp_eq(slash), nth);
            found.plain |= bits(lane.cmp_eq(line_end) | lane.cmp_eq(tab), nth);
        }
        found.plain |= found.quotes | found.slashes;
        // Most blocks have none.
        if controls.move_mask() != 0 {
            for (nth, lane) in lanes.into_iter().enumerate() {
                found.controls |= bits(is_control(lane), nth);
            }
        }
        found
    }
}

/// Whether escapes are such that are none of the [`Found::plain`] ones: `escaped` are the bytes behind
/// their backslashes in a block that begins at a place of the line.
fn check(line: &[u8], at: usize, mut escaped: u64) -> Option<()> {
    while escaped != 0 {
        let at = at + escaped.trailing_zeros() as usize;
        match line.get(at)? {
            b'/' | b'b' | b'f' | b'r' => {}
            b'u' => {
                let digits = line.get(at + 1..at + 5)?;
                let is_half = matches!(
                    digits,
                    [b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..]
                );
                if is_half || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
            }
            _ => return None,
        }
        escaped &= escaped - 1;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As [`find`], byte by byte; none for an escape that is none.
    fn one_by_one(line: &[u8]) -> Option<Vec<u32>> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < line.len() {
            match line[at] {
                b'\\' => match line.get(at + 1)? {
                    b'u' => at += 1,
                    next => at += usize::from(b"\"\\/bfnrt".contains(next)),
                },
                b'"' => found.push(u32::try_from(at).ok()?),
                _ => {}
            }
            at += 1;
        }
        Some(found)
    }

    proptest! {
        #[test]
        fn quotes_are_found_wherever_they_stand(
            line in "([a-zé€😀:]{0,70}(\"|\\\\\"|\\\\\\\\|\\\\n|\\\\u00e9){0,70}){0,6}",
        ) {
            let mut found = Vec::new();
            prop_assert!(find(line.as_bytes(), &mut found).is_some());
            prop_assert_eq!(Some(found), one_by_one(line.as_bytes()));
        }
    }

    #[test]
    fn what_only_a_reader_of_all_can_tell_is_left_to_it() {
        for place in [0, 1, 62, 63, 64, 65, 200] {
            let before = "x".repeat(place);
            let is_found = |line: &[u8]| find(line, &mut Vec::new()).is_some();
            assert!(is_found(format!("{before}\\u00e9").as_bytes()));
            // Between texts there are line ends; what else is there is seen by whoever reads that.
            assert!(is_found(format!("{before}\n\t\"x\"\0\r\n").as_bytes()));
            for wrong in [
                "\\ud83d", "\\q", "\\N", "\\u12", "\\u00g0", "\"\0", "\"\t", "\\\u{e9}",
            ] {
                assert!(!is_found(format!("{before}{wrong}").as_bytes()), "{wrong}");
                assert!(
                    !is_found(format!("{before}{wrong} more").as_bytes()),
                    "{wrong}"
                );
            }
            for wrong in [&b"\xff"[..], b"\xc3", b"\xf0\x9f\x98"] {
                let line = [before.as_bytes(), wrong].concat();
                assert!(!is_found(&line), "{wrong:?}");
                assert!(!is_found(&[&line, &b" more"[..]].concat()), "{wrong:?}");
            }
        }
    }
}
