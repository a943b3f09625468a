//! The archive of an `.eval` log: a ZIP whose entries are packed by deflate or zstd, the latter in
//! several frames (`formats/inspect-ai.md`).

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};

use memchr::memmem;
use zip::{CompressionMethod, ZipArchive};

use super::super::Source;
use super::super::packed::{self, Fault};
use super::super::source::ARCHIVE;

/// Bytes that entries may be unpacked to, whatever the size of the archive.
const MIN_BUDGET: u64 = 256 << 20;
/// How many times its own size an archive may be unpacked to.
const MAX_RATIO: u64 = 200;
/// Bytes that entries may be unpacked to at most.
const MAX_BUDGET: u64 = 4 << 30;

/// Entries of which a log has one.
const OWN: [&str; 2] = ["_journal/start.json", "header.json"];

/// Whether a source is the archive of a log, by the names of its entries.
pub(super) fn is_one(source: &Source) -> bool {
    let head = source.head();
    if !head.starts_with(ARCHIVE) {
        return false;
    }
    let stands = |name: &&str| memmem::find(head, name.as_bytes()).is_some();
    // The table of entries stands at the end.
    let is_listed = || {
        let archive = Archive::open(source);
        archive.is_some_and(|archive| OWN.iter().any(|name| archive.has(name)))
    };
    OWN.iter().any(stands) || source.is_large() && is_listed()
}

/// What an archive is read from.
pub(super) trait Input: Read + Seek + Send {}

impl<T: Read + Seek + Send> Input for T {}

/// An archive, and how much of it may still be unpacked.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Box<dyn Input + 'a>>,
    budget: u64,
}

impl<'a> Archive<'a> {
    /// The archive that a source is; none where its table of entries is missing.
    pub(super) fn open(source: &'a Source) -> Option<Self> {
        match source.large_file() {
            Some(file) => Self::of_file(file),
            None => Self::of(
                Box::new(Cursor::new(source.bytes())),
                source.bytes().len() as u64,
            ),
        }
    }

    /// The archive that a file is.
    pub(super) fn of_file(file: File) -> Option<Self> {
        let size = file.metadata().ok()?.len();
        Self::of(Box::new(BufReader::new(file)), size)
    }

    fn of(input: Box<dyn Input + 'a>, size: u64) -> Option<Self> {
        Some(Self {
            zip: ZipArchive::new(input).ok()?,
            budget: size.saturating_mul(MAX_RATIO).clamp(MIN_BUDGET, MAX_BUDGET),
        })
    }

    fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// The bytes of an entry that was read before.
    pub(super) fn again(&mut self, name: &str) -> Option<Vec<u8>> {
        self.budget = MAX_BUDGET;
        self.named(name)?.ok()
    }

    /// The names of the samples, in the order of the archive.
    pub(super) fn samples(&self) -> Vec<String> {
        let names = self.zip.file_names().filter_map(Result::ok);
        names
            .filter(|name| name.starts_with("samples/") && name.ends_with(".json"))
            .map(std::borrow::Cow::into_owned)
            .collect()
    }

    /// An entry's bytes, or why they can't be read; none where there is no such entry.
    pub(super) fn named(&mut self, name: &str) -> Option<Result<Vec<u8>, String>> {
        let index = self.zip.index_for_name(name)?;
        Some(self.unpack(index))
    }

    fn unpack(&mut self, index: usize) -> Result<Vec<u8>, String> {
        let told = |error: zip::result::ZipError| error.to_string();
        let mut text = Vec::new();
        let budget = self.budget;
        let limit = budget.saturating_add(1);
        let mut raw = self.zip.by_index_raw(index).map_err(told)?;
        if raw.compression() == CompressionMethod::ZSTD {
            let mut packed = Vec::new();
            raw.read_to_end(&mut packed)
                .map_err(|error| error.to_string())?;
            let (unpacked, fault) = packed::zstd(&packed, limit);
            match fault {
                Some(Fault::Damaged) => return Err("the entry is damaged or cut".to_owned()),
                // Whether it is still JSON is seen by whoever reads it; too much is told below.
                Some(Fault::Sum | Fault::TooLarge) | None => text = unpacked,
            }
        } else {
            drop(raw);
            let mut entry = self.zip.by_index(index).map_err(told)?.take(limit);
            entry
                .read_to_end(&mut text)
                .map_err(|error| error.to_string())?;
        }
        let size = u64::try_from(text.len()).unwrap_or(u64::MAX);
        if size > budget {
            return Err("unpacks to more than a log of this size can hold: not read".to_owned());
        }
        self.budget = budget - size;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    /// An archive with one stored entry that claims to be packed by a method.
    fn archive(name: &str, content: &[u8], unpacked: &[u8], method: u16) -> Vec<u8> {
        let short = |n: usize| u16::try_from(n).expect("small").to_le_bytes();
        let long = |n: usize| u32::try_from(n).expect("small").to_le_bytes();
        let mut common = Vec::new();
        common.extend(20u16.to_le_bytes());
        common.extend(0u16.to_le_bytes());
        common.extend(method.to_le_bytes());
        common.extend([0; 4]);
        common.extend([0; 4]);
        common.extend(long(content.len()));
        common.extend(long(unpacked.len()));
        common.extend(short(name.len()));
        common.extend(0u16.to_le_bytes());
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(content);
        let table = bytes.len();
        bytes.extend(b"PK\x01\x02\x14\0");
        bytes.extend(&common);
        bytes.extend([0; 14]);
        bytes.extend(name.as_bytes());
        let size = bytes.len() - table;
        bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        bytes.extend(long(size));
        bytes.extend(long(table));
        bytes.extend([0; 2]);
        bytes
    }

    #[test]
    fn frames_of_zstd_are_read_one_behind_the_other() {
        let mut packed = compress_to_vec(&b"{\"a\":"[..], CompressionLevel::Fastest);
        packed.extend(compress_to_vec(&b"1}"[..], CompressionLevel::Fastest));
        let bytes = archive("header.json", &packed, b"{\"a\":1}", 93);
        let source = Source::from_bytes("test", bytes);
        assert!(is_one(&source));
        let mut archive = Archive::open(&source).expect("an archive");
        assert_eq!(
            archive.named("header.json"),
            Some(Ok(b"{\"a\":1}".to_vec()))
        );
        assert_eq!(archive.named("none"), None);
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let packed = compress_to_vec(&[b'x'; 5000][..], CompressionLevel::Fastest);
        let bytes = archive("header.json", &packed, &[b'x'; 5000], 93);
        let source = Source::from_bytes("test", bytes);
        let mut archive = Archive::open(&source).expect("an archive");
        archive.budget = 4999;
        assert!(archive.named("header.json").expect("an entry").is_err());
    }

    #[test]
    fn a_cut_archive_is_none() {
        let bytes = archive("header.json", b"{}", b"{}", 0);
        let cut = bytes[..bytes.len() - 30].to_vec();
        assert!(Archive::open(&Source::from_bytes("test", cut)).is_none());
    }
}
