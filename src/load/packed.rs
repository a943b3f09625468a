//! What zstd and gzip packed: frames, one behind the other, as far as they go.

use std::io::Read as _;

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// How a file begins that zstd compressed.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// How a file begins that gzip compressed, by deflate: it knows no other way.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// The last block of a frame, with nothing in it, and room for a checksum: with it a frame that is cut
/// gives what its whole blocks hold, which the decoder keeps back until a frame ends.
const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Why not all was unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is damaged or cut.
    Damaged,
    /// It is whole, but not what was packed, by the sum that its writer took.
    Sum,
    /// It would be longer than it may.
    TooLarge,
}

/// Whether bytes begin so that they are packed.
pub(super) fn is_packed(head: &[u8]) -> bool {
    head.starts_with(&ZSTD) || head.starts_with(&GZIP)
}

/// Unpacks as much as `limit` bytes of what is packed in either way.
pub(super) fn unpack(packed: &[u8], limit: u64) -> (Vec<u8>, Option<Fault>) {
    if packed.starts_with(&GZIP) {
        gzip(packed, limit)
    } else {
        zstd(packed, limit)
    }
}

fn gzip(packed: &[u8], limit: u64) -> (Vec<u8>, Option<Fault>) {
    let mut text = Vec::new();
    let mut members = flate2::bufread::MultiGzDecoder::new(packed).take(limit);
    let fault = match members.read_to_end(&mut text) {
        Err(_) => Some(Fault::Damaged),
        Ok(read) if read as u64 >= limit => Some(Fault::TooLarge),
        Ok(_) => None,
    };
    (text, fault)
}

/// Unpacks frames until there is no more, or as much as `limit` bytes.
pub(super) fn zstd(packed: &[u8], limit: u64) -> (Vec<u8>, Option<Fault>) {
    let (mut text, mut rest) = (Vec::new(), packed);
    let (mut decoder, mut fault) = (FrameDecoder::new(), None);
    while !rest.is_empty() {
        match decoder.reset(&mut rest) {
            Ok(()) => {}
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let skipped = usize::try_from(length).unwrap_or(usize::MAX);
                rest = rest.get(skipped..).unwrap_or_default();
                continue;
            }
            Err(_) => return (text, Some(Fault::Damaged)),
        }
        while !decoder.is_finished() {
            let is_sound = decoder.decode_blocks(&mut rest, BLOCK).is_ok();
            if !is_sound {
                fault = Some(Fault::Damaged);
                // What can't be read even so is all there is.
                let _ = decoder.decode_blocks(&mut &END[..], BLOCK);
            }
            // Into memory, which takes all.
            let _ = decoder.collect_to_writer(&mut text);
            if text.len() as u64 >= limit {
                text.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                return (text, Some(Fault::TooLarge));
            }
            if !is_sound {
                return (text, fault);
            }
        }
        if let Some(sum) = decoder.get_checksum_from_data()
            && decoder.get_calculated_checksum() != Some(sum)
        {
            fault = Some(Fault::Sum);
        }
    }
    (text, fault)
}

/// How much is decoded at once.
const BLOCK: BlockDecodingStrategy = BlockDecodingStrategy::UptoBlocks(1);

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn packed(text: &str) -> Vec<u8> {
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
    }

    /// Numbered lines, of several blocks.
    fn lines() -> String {
        let lines = (0..60_000).map(|at| format!("line {at} of many\n"));
        lines.collect()
    }

    #[test]
    fn frames_are_unpacked_one_behind_the_other_and_others_skipped() {
        let mut frames = packed("a\n");
        frames.extend(b"\x50\x2a\x4d\x18\x03\0\0\0xyz");
        frames.extend(packed("b\n"));
        assert_eq!(zstd(&frames, 1000), (b"a\nb\n".to_vec(), None));
        assert_eq!(zstd(&frames, 3), (b"a\nb".to_vec(), Some(Fault::TooLarge)));
        frames.extend(b"garbage");
        assert_eq!(
            zstd(&frames, 1000),
            (b"a\nb\n".to_vec(), Some(Fault::Damaged))
        );
    }

    #[test]
    fn of_a_cut_frame_its_whole_blocks_are_left() {
        let text = lines();
        let whole = packed(&text);
        let (read, fault) = zstd(&whole[..whole.len() * 2 / 3], u64::MAX);
        assert_eq!(fault, Some(Fault::Damaged));
        assert!(read.len() > text.len() / 3 && text.as_bytes().starts_with(&read));
        for cut in [0, 1, 4, 5, 8, 12, 100] {
            let (read, fault) = zstd(&whole[..cut], u64::MAX);
            assert!(text.as_bytes().starts_with(&read));
            assert_eq!(fault.is_some(), cut > 0, "{cut}");
        }
    }

    #[test]
    fn gzip_is_unpacked_as_far_as_it_goes() {
        let pack = |text: &str| {
            let mut pack = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            pack.write_all(text.as_bytes()).expect("into memory");
            pack.finish().expect("into memory")
        };
        let text = lines();
        let mut whole = pack(&text);
        assert!(is_packed(&whole) && is_packed(&packed("a")) && !is_packed(b"{}"));
        let (read, fault) = unpack(&whole[..whole.len() * 2 / 3], u64::MAX);
        assert_eq!(fault, Some(Fault::Damaged));
        assert!(read.len() > text.len() / 3 && text.as_bytes().starts_with(&read));
        whole.extend(pack("b\n"));
        assert_eq!(
            unpack(&whole, u64::MAX),
            ((text + "b\n").into_bytes(), None)
        );
        assert_eq!(unpack(&whole, 4), (b"line".to_vec(), Some(Fault::TooLarge)));
    }

    #[test]
    fn a_wrong_sum_is_told() {
        let mut bytes = packed("a text\n");
        assert_eq!(zstd(&bytes, 1000), (b"a text\n".to_vec(), None));
        *bytes.last_mut().expect("a sum") ^= 1;
        assert_eq!(zstd(&bytes, 1000), (b"a text\n".to_vec(), Some(Fault::Sum)));
    }
}
