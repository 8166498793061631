//! The three panes: the context, the index map, and the detail (a block, or a message too long to open in place).
//!
//! A pane keeps where its reader stands; what it shows is read off the fold at each frame.

pub(crate) mod context;
pub(crate) mod detail;
pub(crate) mod index;
pub(crate) mod item;

/// Names a pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pane {
    /// M.
    #[default]
    Context,
    /// I beside D.
    Index,
    /// One block or message.
    Detail,
}

impl Pane {
    /// All, from left to right.
    pub(crate) const ALL: [Self; 3] = [Self::Context, Self::Index, Self::Detail];

    /// The pane `by` places on, around the ends.
    pub(crate) fn beside(self, by: isize) -> Self {
        let at = (self as isize + by).rem_euclid(3);
        usize::try_from(at).ok().and_then(|n| Self::ALL.get(n)).copied().unwrap_or_default()
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Context => "Context",
            Self::Index => "IndexMap",
            Self::Detail => "Block",
        }
    }
}

/// How much of the screen the focused pane has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Zoom {
    /// Its share.
    #[default]
    Normal,
    /// Half.
    Half,
    /// All.
    Full,
}

/// A movement within a pane or list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// By rows.
    By(isize),
    /// By halves of a page.
    Half(isize),
    /// By pages.
    Page(isize),
    /// To the first row.
    Top,
    /// To the last row.
    Bottom,
}

impl Move {
    /// As a number of rows of a page of `height`; `None` for the two ends.
    pub(crate) fn rows(self, height: usize) -> Option<isize> {
        let page = isize::try_from(height).unwrap_or(isize::MAX).max(1);
        Some(match self {
            Self::By(n) => n,
            Self::Half(n) => n.saturating_mul((page / 2).max(1)),
            Self::Page(n) => n.saturating_mul((page - 1).max(1)),
            Self::Top | Self::Bottom => return None,
        })
    }
}
