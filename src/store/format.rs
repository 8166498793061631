//! How a block lies in the engine: keys, header, chunks. Pure; knows no engine.
//!
//! One tree, three kinds of keys:
//!
//! ```text
//! m                                   → format(1) 1 + applied_seq, or 0 (8) check(8)
//! h <index> 00 <version: 4>           → header of a block
//! c <BLAKE3 of content: 32> <n: 4>    → n-th chunk of that content
//!
//! header: format(1) kind(1) codec(1) seq(8) raw_len(8) packed_len(8) BLAKE3(32) check(8)
//! ```
//!
//! Numbers are big-endian, so that keys sort as their numbers do. An index holds no zero byte. The
//! same content under two names is stored once. Chunks are small because the engine puts pages with
//! large values into files of their own, which it never syncs.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use crate::memory::{Block, BlockKind, Digest, Index};

/// Format version, first byte of header and meta.
pub(super) const FORMAT: u8 = 1;
/// Longest chunk, in bytes.
pub(super) const CHUNK: usize = 8 * 1024;
/// Key of the meta value.
pub(super) const META: &[u8] = b"m";
/// Prefix of all header keys.
pub(super) const HEADERS: &[u8] = b"h";

const HEADER_LEN: usize = 1 + 1 + 1 + 8 + 8 + 8 + 32 + 8;
const PLAIN: u8 = 0;
const DEFLATE: u8 = 1;

/// What the engine knows about a block without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: BlockKind,
    codec: u8,
    /// Journal event that wrote the block.
    pub(super) seq: u64,
    /// Bytes of the content.
    pub(super) raw_len: u64,
    /// Bytes of all its chunks.
    pub(super) packed_len: u64,
    pub(super) digest: Digest,
}

/// A content as it is stored.
pub(super) struct Packed<'a> {
    codec: u8,
    bytes: std::borrow::Cow<'a, [u8]>,
}

impl Packed<'_> {
    /// The chunks in order.
    pub(super) fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks(CHUNK)
    }
}

/// Packs a content: compressed where that saves an eighth or more.
///
/// The engine writes a value about twice before it lies still, so what is saved here is saved twice.
pub(super) fn pack(content: &str) -> Packed<'_> {
    let raw = content.as_bytes();
    if raw.len() >= 64 {
        let mut encoder = DeflateEncoder::new(Vec::with_capacity(raw.len() / 2), Compression::default());
        // Writing to memory does not fail; were it to, the plain bytes serve.
        let packed = encoder.write_all(raw).and_then(|()| encoder.finish());
        if let Ok(packed) = packed
            && packed.len() <= raw.len() - raw.len() / 8
        {
            return Packed { codec: DEFLATE, bytes: packed.into() };
        }
    }
    Packed { codec: PLAIN, bytes: raw.into() }
}

/// The content of a block from its joined chunks, checked against its header.
pub(super) fn unpack(header: &Header, packed: Vec<u8>) -> Result<Arc<str>, String> {
    if packed.len() as u64 != header.packed_len {
        return Err(format!("{} stored bytes instead of {}", packed.len(), header.packed_len));
    }
    let raw = match header.codec {
        PLAIN => packed,
        DEFLATE => {
            let mut raw = Vec::new();
            let limit = header.raw_len.saturating_add(1);
            DeflateDecoder::new(&*packed).take(limit).read_to_end(&mut raw).map_err(|e| format!("bytes that do not decompress ({e})"))?;
            raw
        }
        other => return Err(format!("the unknown codec {other}")),
    };
    let found = Digest::of(&raw);
    if found != header.digest {
        return Err(format!("bytes with BLAKE3 {found}"));
    }
    String::from_utf8(raw).map(Arc::from).map_err(|_| "bytes that are no text".to_owned())
}

impl Header {
    /// The header of a block that event `seq` wrote.
    pub(super) fn of(block: &Block, seq: u64, packed: &Packed<'_>) -> Self {
        Self {
            kind: block.kind,
            codec: packed.codec,
            seq,
            raw_len: block.content.len() as u64,
            packed_len: packed.bytes.len() as u64,
            digest: block.digest,
        }
    }

    /// Number of chunks.
    pub(super) fn chunks(&self) -> u64 {
        self.packed_len.div_ceil(CHUNK as u64)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_LEN);
        out.extend([FORMAT, kind_byte(self.kind), self.codec]);
        out.extend(self.seq.to_be_bytes());
        out.extend(self.raw_len.to_be_bytes());
        out.extend(self.packed_len.to_be_bytes());
        out.extend(self.digest.as_bytes());
        let check = check(&out);
        out.extend(check);
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut rest = Cursor(bytes);
        let mut read = || -> Option<Self> {
            let [FORMAT] = rest.take()? else { return None };
            let [kind] = rest.take()?;
            let [codec] = rest.take()?;
            let seq = u64::from_be_bytes(rest.take()?);
            let raw_len = u64::from_be_bytes(rest.take()?);
            let packed_len = u64::from_be_bytes(rest.take()?);
            let digest = Digest::from_bytes(rest.take()?);
            let body = bytes.get(..HEADER_LEN - 8)?;
            let sound = rest.take()? == check(body) && rest.0.is_empty();
            sound.then_some(Self { kind: byte_kind(kind)?, codec, seq, raw_len, packed_len, digest })
        };
        read().ok_or_else(|| format!("a damaged header of {} bytes", bytes.len()))
    }
}

struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }
}

/// Lengths are taken from the header before the content can be hashed, so it has a check of its own.
fn check(bytes: &[u8]) -> [u8; 8] {
    let mut short = [0; 8];
    for (to, from) in short.iter_mut().zip(Digest::of(bytes).as_bytes()) {
        *to = *from;
    }
    short
}

fn kind_byte(kind: BlockKind) -> u8 {
    match kind {
        BlockKind::Authored => 0,
        BlockKind::Anchored => 1,
        BlockKind::Mixed => 2,
    }
}

fn byte_kind(byte: u8) -> Option<BlockKind> {
    [BlockKind::Authored, BlockKind::Anchored, BlockKind::Mixed].into_iter().find(|k| kind_byte(*k) == byte)
}

pub(super) fn header_key(index: &Index, version: u32) -> Vec<u8> {
    let mut key = HEADERS.to_vec();
    key.extend(index.as_str().as_bytes());
    key.push(0);
    key.extend(version.to_be_bytes());
    key
}

/// Index and version of a header key.
pub(super) fn parse_header_key(key: &[u8]) -> Option<(Index, u32)> {
    let rest = key.strip_prefix(HEADERS)?;
    let (name, version) = rest.split_last_chunk::<4>()?;
    let name = std::str::from_utf8(name.strip_suffix(&[0])?).ok()?;
    let index = Index::new(name).ok().filter(|i| i.as_str() == name)?;
    Some((index, u32::from_be_bytes(*version)))
}

pub(super) fn chunk_key(digest: &Digest, n: u64) -> Vec<u8> {
    let mut key = b"c".to_vec();
    key.extend(digest.as_bytes());
    // A block of more than 2³² chunks would be 32 TiB.
    key.extend(u32::try_from(n).unwrap_or(u32::MAX).to_be_bytes());
    key
}

/// The meta value; `applied` is the newest event whose blocks are stored.
pub(super) fn encode_meta(applied: Option<u64>) -> Vec<u8> {
    let mut out = vec![FORMAT];
    out.extend(applied.map_or(0, |seq| seq.saturating_add(1)).to_be_bytes());
    let check = check(&out);
    out.extend(check);
    out
}

/// The newest event whose blocks are stored.
pub(super) fn decode_meta(bytes: &[u8]) -> Result<Option<u64>, String> {
    let wrong = || "a damaged meta record".to_owned();
    let (body, found) = bytes.split_last_chunk::<8>().ok_or_else(wrong)?;
    match body.split_first() {
        Some((&FORMAT, next)) if *found == check(body) => Ok(u64::from_be_bytes(next.try_into().map_err(|_| wrong())?).checked_sub(1)),
        Some((&newer, _)) if newer > FORMAT && *found == check(body) => Err(format!("store format {newer}, this program knows {FORMAT}")),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn block(content: &str) -> Block {
        Block {
            index: Index::new("ctx_001").unwrap(),
            version: 3,
            kind: BlockKind::Mixed,
            content: content.into(),
            digest: Digest::of(content.as_bytes()),
        }
    }

    #[test]
    fn keys_sort_as_their_numbers_and_read_back() {
        let index = Index::new("caf\u{e9}-1").unwrap();
        let (two, ten) = (header_key(&index, 2), header_key(&index, 10));
        assert!(two < ten);
        assert_eq!(parse_header_key(&ten), Some((index, 10)));
        assert_eq!(parse_header_key(b"h"), None);
        assert_eq!(parse_header_key(b"h\0\0\0\0\x01"), None);
        assert_eq!(parse_header_key(b"ha b\0\0\0\0\x01"), None);
    }

    #[test]
    fn a_header_is_read_back_or_refused() {
        let b = block("some text");
        let header = Header::of(&b, 77, &pack(&b.content));
        let bytes = header.encode();
        assert_eq!(Header::decode(&bytes), Ok(header));
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(Header::decode(&bad).is_err(), "a flip at {at} goes unseen");
            assert!(Header::decode(&bytes[..at]).is_err());
        }
    }

    #[test]
    fn contents_come_back_byte_for_byte_or_not_at_all() {
        let long = "the same line again and again\n".repeat(3000);
        let noise: String = (0..20_000u32).map(|n| char::from_u32(0x21 + (n.wrapping_mul(2_654_435_761) >> 9) % 0x5e).unwrap()).collect();
        for content in ["", "a", "é\0\u{1f600}", &long, &noise] {
            let b = block(content);
            let packed = pack(content);
            let header = Header::of(&b, 1, &packed);
            assert!(packed.chunks().all(|c| c.len() <= 8192));
            assert_eq!(packed.chunks().count() as u64, header.chunks());
            let joined: Vec<u8> = packed.chunks().flatten().copied().collect();
            assert_eq!(&*unpack(&header, joined.clone()).unwrap(), content);
            if let Some(last) = joined.len().checked_sub(1) {
                let mut bad = joined.clone();
                bad[last / 2] ^= 0x20;
                assert!(unpack(&header, bad).is_err());
                assert!(unpack(&header, joined[..last].to_vec()).is_err());
            }
        }
        assert!(pack(&long).bytes.len() < long.len() / 20);
    }

    #[test]
    fn meta_is_read_back_or_refused() {
        assert_eq!(decode_meta(&encode_meta(None)), Ok(None));
        assert_eq!(decode_meta(&encode_meta(Some(0))), Ok(Some(0)));
        assert_eq!(decode_meta(&encode_meta(Some(u64::MAX - 1))), Ok(Some(u64::MAX - 1)));
        assert!(decode_meta(b"").is_err());
        let mut bad = encode_meta(Some(5));
        bad[8] ^= 1;
        assert!(decode_meta(&bad).is_err());
    }
}
