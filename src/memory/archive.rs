//! Archive: D as the fold of a session knows it, with every version of every index.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Index;

/// BLAKE3 of a block's bytes, 64 hex digits in text form.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Hashes bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }
    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
    /// From raw bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
    /// The first 12 hex digits, for the screen.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(blake3::Hash::from(self.0).to_hex().as_str())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = blake3::HexError;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(s).map(|h| Self(*h.as_bytes()))
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

/// How a block's content came about (§3.2: explicit authoring, anchor-based extraction, or both).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Written by the model.
    Authored,
    /// Extracted verbatim between three anchors.
    Anchored,
    /// Written, with an extract in it.
    Mixed,
}

impl BlockKind {
    /// Name for screen and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Authored => "authored",
            Self::Anchored => "anchored",
            Self::Mixed => "mixed",
        }
    }
}

/// A block to be stored: what an store of experience keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its index.
    pub index: Index,
    /// 1-based version of that index in its session.
    pub version: u32,
    /// How it came about.
    pub kind: BlockKind,
    /// Its exact content.
    pub content: Arc<str>,
    /// Hash of the content.
    pub digest: Digest,
}

/// One version of an index in D.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The block itself.
    pub block: Block,
    /// Tokens of the content.
    pub tokens: u32,
    /// Sequence number of the compression event that wrote it.
    pub seq: u64,
    /// Step of that event.
    pub step: u32,
    /// Source of the extract in M at that time.
    pub spans: Arc<[super::anchor::Span]>,
    /// The compression was undone: the version can be looked at, but the agent does not read it.
    pub withdrawn: bool,
    /// Times read into M, by the agent or its user.
    pub reads: u32,
    /// Step of the last read.
    pub last_read: Option<u32>,
}

/// D. Cloning is cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive(Arc<BTreeMap<Index, Arc<Vec<Version>>>>);

impl Archive {
    /// `D[index]` ← content; earlier versions stay.
    pub fn write(&mut self, version: Version) {
        let versions = Arc::make_mut(&mut self.0).entry(version.block.index.clone()).or_default();
        Arc::make_mut(versions).push(version);
    }

    /// The version that ReadExperience gets: the newest that is not withdrawn.
    #[must_use]
    pub fn read(&self, index: &Index) -> Option<&Version> {
        self.versions(index).iter().rev().find(|v| !v.withdrawn)
    }

    /// Every version of an index, oldest first; empty for an unknown one.
    #[must_use]
    pub fn versions(&self, index: &Index) -> &[Version] {
        self.0.get(index).map_or(&[], |v| v.as_slice())
    }

    /// The number that the next version of `index` gets.
    #[must_use]
    pub fn next_version(&self, index: &Index) -> u32 {
        self.versions(index).last().map_or(1, |v| v.block.version + 1)
    }

    /// The indices that the agent can read, in name order.
    pub fn indices(&self) -> impl Iterator<Item = &Index> {
        self.0.iter().filter(|(_, v)| v.iter().any(|v| !v.withdrawn)).map(|(i, _)| i)
    }

    /// Every index that was ever written, in name order, with its versions.
    pub fn all(&self) -> impl Iterator<Item = (&Index, &[Version])> {
        self.0.iter().map(|(i, v)| (i, v.as_slice()))
    }

    /// Number of indices ever written.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was ever written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Withdraws (or, on redo, restores) what the compression event `seq` wrote.
    pub fn withdraw(&mut self, seq: u64, withdrawn: bool) {
        for versions in Arc::make_mut(&mut self.0).values_mut() {
            if versions.iter().any(|v| v.seq == seq) {
                for v in Arc::make_mut(versions).iter_mut().filter(|v| v.seq == seq) {
                    v.withdrawn = withdrawn;
                }
            }
        }
    }

    /// Counts one read of a version.
    pub fn count_read(&mut self, index: &Index, version: u32, step: u32) {
        let Some(versions) = Arc::make_mut(&mut self.0).get_mut(index) else { return };
        if let Some(v) = Arc::make_mut(versions).iter_mut().find(|v| v.block.version == version) {
            v.reads += 1;
            v.last_read = Some(step);
        }
    }
}
