//! Which bytes of a text are what, 64 of them at a time: one bit of a mask for each, that of the first
//! byte lowest.

use wide::{CmpEq as _, i8x16};

/// Bytes that are looked at together.
pub(super) const BLOCK: usize = 64;

#[inline]
pub(super) fn splat(byte: u8) -> i8x16 {
    i8x16::splat(byte.cast_signed())
}

#[inline]
pub(super) fn lanes(block: &[u8; BLOCK]) -> [i8x16; 4] {
    let mut signed = [0; BLOCK];
    for (to, from) in signed.iter_mut().zip(block) {
        *to = from.cast_signed();
    }
    let lane = |at: usize| {
        let mut lane = [0; 16];
        lane.copy_from_slice(&signed[16 * at..16 * (at + 1)]);
        i8x16::new(lane)
    };
    [lane(0), lane(1), lane(2), lane(3)]
}

/// The highest bit of each byte, where the lane belongs in a block.
#[inline]
pub(super) fn bits(lane: i8x16, nth: usize) -> u64 {
    u64::from(lane.move_mask().cast_unsigned()) << (16 * nth)
}

/// Which bytes stand behind a backslash that is no escaped one itself, and whether the first byte of
/// the next block does. `first` tells that of this block.
#[inline]
pub(super) fn escaped(slashes: u64, first: u64) -> (u64, u64) {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    if slashes | first == 0 {
        return (0, 0);
    }
    // A run of backslashes that begins at an even place and one that begins at an odd one borrow
    // differently, which tells every second of a run.
    let begins = slashes & !first;
    let series = ((begins << 1) | ODD).wrapping_sub(begins) ^ ODD;
    (series ^ (slashes | first), (series & slashes) >> 63)
}

/// Which bytes stand within quotes, the first of each two among them, and all bits or none: whether the
/// first byte of the next block does. `first` tells that of this block.
#[inline]
pub(super) fn within(quotes: u64, first: u64) -> (u64, u64) {
    let mut inside = quotes;
    for width in [1, 2, 4, 8, 16, 32] {
        inside ^= inside << width;
    }
    inside ^= first;
    (inside, 0_u64.wrapping_sub(inside >> 63))
}

/// What bounds values in a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub quotes: u64,
    pub slashes: u64,
    /// `[` and `{`.
    pub opens: u64,
    /// `]` and `}`.
    pub closes: u64,
}

impl Bounds {
    #[inline]
    pub(super) fn of(block: &[u8; BLOCK]) -> Self {
        let mut found = Self {
            quotes: 0,
            slashes: 0,
            opens: 0,
            closes: 0,
        };
        let (quote, slash) = (splat(b'"'), splat(b'\\'));
        // The brackets differ from the braces in this bit alone.
        let (bit, open, close) = (splat(0x20), splat(b'{'), splat(b'}'));
        for (nth, lane) in lanes(block).into_iter().enumerate() {
            let either = lane | bit;
            found.quotes |= bits(lane.cmp_eq(quote), nth);
            found.slashes |= bits(lane.cmp_eq(slash), nth);
            found.opens |= bits(either.cmp_eq(open), nth);
            found.closes |= bits(either.cmp_eq(close), nth);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The bits of the bytes of which something is true.
    fn mask(block: &[u8; BLOCK], is_so: impl Fn(u8) -> bool) -> u64 {
        let set = |(at, byte): (usize, &u8)| u64::from(is_so(*byte)) << at;
        block.iter().enumerate().map(set).sum()
    }

    proptest! {
        #[test]
        fn each_byte_has_its_bit(text in proptest::collection::vec(any::<u8>(), BLOCK)) {
            let block: &[u8; BLOCK] = text.as_slice().try_into().expect("as long as a block");
            let found = Bounds::of(block);
            prop_assert_eq!(found.quotes, mask(block, |byte| byte == b'"'));
            prop_assert_eq!(found.slashes, mask(block, |byte| byte == b'\\'));
            prop_assert_eq!(found.opens, mask(block, |byte| b"[{".contains(&byte)));
            prop_assert_eq!(found.closes, mask(block, |byte| b"]}".contains(&byte)));
        }

        #[test]
        fn quotes_and_backslashes_are_told_across_blocks(text in "[\\\\\" a]{192}") {
            let (mut is_escaped, mut is_within) = (0, 0);
            let (mut slash_before, mut inside) = (false, false);
            for block in text.as_bytes().as_chunks::<BLOCK>().0 {
                let found = Bounds::of(block);
                let (after, next) = escaped(found.slashes, is_escaped);
                is_escaped = next;
                let (mask, next) = within(found.quotes & !after, is_within);
                is_within = next;
                for (at, byte) in block.iter().enumerate() {
                    let was_escaped = std::mem::take(&mut slash_before);
                    prop_assert_eq!(after >> at & 1 == 1, was_escaped);
                    slash_before = *byte == b'\\' && !was_escaped;
                    inside ^= *byte == b'"' && !was_escaped;
                    prop_assert_eq!(mask >> at & 1 == 1, inside);
                }
                prop_assert_eq!(is_within, if inside { u64::MAX } else { 0 });
            }
        }
    }
}
