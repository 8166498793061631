//! The things that have a look, with the dotted keys they have in theme files.

macro_rules! roles {
    ($($role:ident $key:literal)*) => {
        /// A thing that has a look.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the key says what each is; the verbs of Theme say more")]
        pub enum Role { $($role,)* }

        impl Role {
            /// All roles, each at its own place.
            pub const ALL: &[Self] = &[$(Self::$role,)*];

            /// Its key in theme files. Where a theme has no such key, the key up to the last dot is asked.
            #[must_use]
            pub fn key(self) -> &'static str {
                match self { $(Self::$role => $key,)* }
            }
        }
    };
}

roles! {
    Background "ui.background"
    Text "ui.text"
    Dim "ui.text.dim"
    Strong "ui.text.strong"
    Hidden "ui.text.hidden"
    Border "ui.border"
    BorderFocus "ui.border.focus"
    Title "ui.title"
    TitleFocus "ui.title.focus"
    Selection "ui.selection"
    SelectionInactive "ui.selection.inactive"
    Header "ui.header"
    Footer "ui.footer"
    Key "ui.key"
    Dialog "ui.dialog"
    Input "ui.input"
    Past "ui.past"
    Match "ui.match"
    MatchCurrent "ui.match.current"
    Gutter "ui.gutter"
    Scrollbar "ui.scrollbar"
    ScrollbarThumb "ui.scrollbar.thumb"
    NoticeInfo "notice.info"
    NoticeGood "notice.good"
    NoticeWarning "notice.warning"
    NoticeError "notice.error"
    GaugeOk "gauge.ok"
    GaugeNear "gauge.near"
    GaugeOver "gauge.over"
    GaugeTrack "gauge.track"
    GaugeThreshold "gauge.threshold"
    RoleSystem "role.system"
    RoleUser "role.user"
    RoleAssistant "role.assistant"
    RoleThinking "role.thinking"
    RoleTool "role.tool"
    RoleSummary "role.summary"
    RoleRetrieved "role.retrieved"
    RoleStatus "role.status"
    IndexReachable "index.reachable"
    IndexOrphan "index.orphan"
    IndexDangling "index.dangling"
    MarkStep "mark.step"
    MarkCurrent "mark.current"
    MarkCompress "mark.compress"
    MarkRead "mark.read"
    MarkError "mark.error"
    MarkEnd "mark.end"
    RunRunning "run.running"
    RunWaiting "run.waiting"
    RunPaused "run.paused"
    RunEnded "run.ended"
    DiffAdded "diff.added"
    DiffRemoved "diff.removed"
    DiffPlace "diff.place"
    SyntaxComment "syntax.comment"
    SyntaxString "syntax.string"
    SyntaxNumber "syntax.number"
    SyntaxConstant "syntax.constant"
    SyntaxKeyword "syntax.keyword"
    SyntaxOperator "syntax.operator"
    SyntaxType "syntax.type"
    SyntaxFunction "syntax.function"
    SyntaxVariable "syntax.variable"
    SyntaxPunctuation "syntax.punctuation"
    SyntaxTag "syntax.tag"
    SyntaxAttribute "syntax.attribute"
    SyntaxHeading "syntax.heading"
    SyntaxLink "syntax.link"
    SyntaxEmphasis "syntax.emphasis"
    SyntaxInvalid "syntax.invalid"
}

macro_rules! meanings {
    ($($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident $role:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$each])* $variant,)* }

        impl From<$name> for Role {
            fn from(value: $name) -> Self {
                match value { $($name::$variant => Self::$role,)* }
            }
        }
    )*};
}

meanings! {
    /// How full the working context is, measured against τ.
    Level {
        /// Below 0.8 τ.
        Ok GaugeOk,
        /// From 0.8 τ.
        Near GaugeNear,
        /// Above τ.
        Over GaugeOver,
    }
    /// Whose words a message holds.
    Speaker {
        /// m0.
        System RoleSystem,
        /// The task, and other words of the user.
        User RoleUser,
        /// The model's calls and answers.
        Assistant RoleAssistant,
        /// The model's thinking.
        Thinking RoleThinking,
        /// Observations.
        Tool RoleTool,
        /// σ.
        Summary RoleSummary,
        /// A block that was read back.
        Retrieved RoleRetrieved,
        /// ContextStatus.
        Status RoleStatus,
    }
    /// Whether an index leads to its block.
    Reach {
        /// In the IndexMap and in the store.
        Reachable IndexReachable,
        /// In the store, but no longer in the IndexMap.
        Orphan IndexOrphan,
        /// In the IndexMap, but not in the store.
        Dangling IndexDangling,
    }
    /// A mark on the timeline.
    Mark {
        /// A step like any other.
        Step MarkStep,
        /// The step that is shown.
        Current MarkCurrent,
        /// A compression.
        Compress MarkCompress,
        /// A ReadExperience.
        Read MarkRead,
        /// A step that failed.
        Error MarkError,
        /// The end of the run.
        End MarkEnd,
    }
    /// What the run is doing.
    RunState {
        /// Going on by itself.
        Running RunRunning,
        /// Waiting for a model, a tool, or the user's word.
        Waiting RunWaiting,
        /// Standing until told to go on.
        Paused RunPaused,
        /// Over.
        Ended RunEnded,
    }
    /// How much a message to the user matters.
    Severity {
        /// Good to know.
        Info NoticeInfo,
        /// Something went well.
        Good NoticeGood,
        /// Something may be wrong.
        Warning NoticeWarning,
        /// Something failed.
        Error NoticeError,
    }
    /// A line of a comparison.
    Change {
        /// Only in the newer.
        Added DiffAdded,
        /// Only in the older.
        Removed DiffRemoved,
        /// Where the lines stand.
        Place DiffPlace,
    }
    /// A token of code.
    Syntax {
        /// A comment.
        Comment SyntaxComment,
        /// A string.
        String SyntaxString,
        /// A number.
        Number SyntaxNumber,
        /// `true`, `null`, an escape in a string.
        Constant SyntaxConstant,
        /// A keyword.
        Keyword SyntaxKeyword,
        /// An operator.
        Operator SyntaxOperator,
        /// A type.
        Type SyntaxType,
        /// The name of a function.
        Function SyntaxFunction,
        /// A variable, a key.
        Variable SyntaxVariable,
        /// Brackets, commas.
        Punctuation SyntaxPunctuation,
        /// The name of a tag in markup.
        Tag SyntaxTag,
        /// The name of an attribute.
        Attribute SyntaxAttribute,
        /// A heading in markup.
        Heading SyntaxHeading,
        /// A link in markup.
        Link SyntaxLink,
        /// Emphasis in markup.
        Emphasis SyntaxEmphasis,
        /// What the language does not allow.
        Invalid SyntaxInvalid,
    }
}
