//! Everything a user can ask of the screen, in one table: keymap, palette, help, footer and documentation read it.
//!
//! Knows what a command is called and where it holds, not what it does.

/// Names a command. The variants are in the order of the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is documented by its row in COMMANDS")]
pub enum CommandId {
    RunPause,
    Step,
    StepPhase,
    Continue,
    PreviousStep,
    NextStep,
    FirstStep,
    LastStep,
    PreviousCompression,
    NextCompression,
    SetMark,
    JumpToMark,
    Runs,
    PreviousRun,
    NextRun,
    Down,
    Up,
    Top,
    Bottom,
    HalfPageDown,
    HalfPageUp,
    PageDown,
    PageUp,
    DetailDown,
    DetailUp,
    FocusContext,
    FocusIndexMap,
    FocusDetail,
    FocusNext,
    FocusPrevious,
    ZoomIn,
    ZoomOut,
    Left,
    Right,
    Open,
    OlderVersion,
    NewerVersion,
    Read,
    Compress,
    Undo,
    Redo,
    EditMessage,
    ExcludeMessage,
    DiffCompression,
    ToggleThinking,
    ToggleRaw,
    ToggleWrap,
    NextTheme,
    ToggleMouse,
    Search,
    NextMatch,
    PreviousMatch,
    CopySelection,
    CopyBlock,
    ExportBlock,
    Answer,
    Messages,
    Help,
    Palette,
    Quit,
    Back,
    Interrupt,
    Suspend,
}

/// Where a command holds. A key may mean one thing in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// On the main screen and in every view on top of it that does not take text.
    Everywhere,
    /// Also while a text field has the focus, where letters are text.
    Always,
}

/// Under which heading a command stands in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Making the agent go on.
    Run,
    /// Going to another step.
    Time,
    /// Moving within a pane, and between panes.
    Move,
    /// Looking at and changing the agent's memory.
    Memory,
    /// How things are shown.
    View,
    /// Searching, and taking text out.
    Text,
    /// The program itself.
    Program,
}

impl Group {
    /// All, in the order of the help.
    pub const ALL: [Self; 7] = [Self::Run, Self::Time, Self::Move, Self::Memory, Self::View, Self::Text, Self::Program];

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Run => "Run",
            Self::Time => "Time",
            Self::Move => "Move",
            Self::Memory => "Memory",
            Self::View => "View",
            Self::Text => "Text",
            Self::Program => "Program",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Which command.
    pub id: CommandId,
    /// Its name in the palette, in the key configuration and in documentation: words joined by hyphens.
    pub name: &'static str,
    /// The one or two words of the footer.
    pub short: &'static str,
    /// What it does, as a sentence.
    pub help: &'static str,
    /// The keys it has unless the user says otherwise, as [`super::keys::Key`] prints them.
    pub keys: &'static [&'static str],
    /// Where it holds.
    pub scope: Scope,
    /// Where it stands in the help.
    pub group: Group,
}

impl CommandId {
    /// Its row.
    #[must_use]
    pub fn command(self) -> &'static Command {
        // The table is in the order of the enum, which a test checks.
        &COMMANDS[self as usize]
    }
}

/// The command of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

macro_rules! commands {
    ($($group:ident $scope:ident { $($id:ident $name:literal $short:literal [$($key:literal),*] $help:literal;)* })*) => {
        /// Every command, in the order of the help.
        pub const COMMANDS: &[Command] = &[$($(
            Command {
                id: CommandId::$id, name: $name, short: $short, help: $help, keys: &[$($key),*],
                scope: Scope::$scope, group: Group::$group,
            },
        )*)*];
    };
}

commands! {
    Run Everywhere {
        RunPause "run-pause" "run/pause" ["space"] "Let the agent run, or pause it after the current phase.";
        Step "step" "step" ["s"] "Let the agent take one step: one answer of the model and its calls.";
        StepPhase "step-phase" "phase" ["S"] "Go one phase further: status, thinking, call or result.";
        Continue "continue" "continue" ["c"] "Run to the next compression, read, error or change by hand, or to the end.";
    }
    Time Everywhere {
        PreviousStep "previous-step" "step back" ["h", "left"] "Look at the step before this one; nothing is undone.";
        NextStep "next-step" "step on" ["l", "right"] "Look at the step after this one.";
        FirstStep "first-step" "first" ["0"] "Look at the beginning of the run.";
        LastStep "last-step" "live" ["$"] "Look at the newest step and follow the run.";
        PreviousCompression "previous-compression" "◆ before" ["["] "Look at the compression before this step.";
        NextCompression "next-compression" "◆ after" ["]"] "Look at the compression after this step.";
        SetMark "set-mark" "mark" ["m"] "Remember this place in time.";
        JumpToMark "jump-to-mark" "to mark" ["'"] "Go to the place that was remembered.";
        Runs "runs" "runs" ["F"] "List the runs of this file as a tree: branches and sub-agents; Enter shows one.";
        PreviousRun "previous-run" "run before" ["<"] "Look at the run before this one in the tree.";
        NextRun "next-run" "run after" [">"] "Look at the run after this one in the tree.";
    }
    Move Everywhere {
        Down "down" "down" ["j", "down"] "Go one row down.";
        Up "up" "up" ["k", "up"] "Go one row up.";
        Top "top" "top" ["g", "home"] "Go to the first row.";
        Bottom "bottom" "bottom" ["G", "end"] "Go to the last row.";
        HalfPageDown "half-page-down" "½ down" ["ctrl-d"] "Go half a page down.";
        HalfPageUp "half-page-up" "½ up" ["ctrl-u"] "Go half a page up.";
        PageDown "page-down" "page down" ["pagedown"] "Go a page down.";
        PageUp "page-up" "page up" ["pageup"] "Go a page up.";
        DetailDown "detail-down" "detail ↓" ["J"] "Scroll the detail pane down, whatever has the focus.";
        DetailUp "detail-up" "detail ↑" ["K"] "Scroll the detail pane up, whatever has the focus.";
        FocusContext "focus-context" "context" ["1"] "Put the focus on the context.";
        FocusIndexMap "focus-index-map" "index map" ["2"] "Put the focus on the index map.";
        FocusDetail "focus-detail" "detail" ["3"] "Put the focus on the detail pane.";
        FocusNext "focus-next" "next pane" ["tab"] "Put the focus on the next pane.";
        FocusPrevious "focus-previous" "prev pane" ["shift-tab"] "Put the focus on the pane before.";
        ZoomIn "zoom-in" "zoom in" ["+"] "Give the pane more room: half the screen, then all of it.";
        ZoomOut "zoom-out" "zoom out" ["_"] "Give the pane less room again.";
        Left "left" "left" ["H"] "Scroll sideways to the left, where lines are not wrapped.";
        Right "right" "right" ["L"] "Scroll sideways to the right, where lines are not wrapped.";
    }
    Memory Everywhere {
        Open "open" "open" ["enter"] "Open what is selected; an index is only looked at, the context stays as it is.";
        OlderVersion "older-version" "older" ["("] "Look at the version of this block before the one that is shown.";
        NewerVersion "newer-version" "newer" [")"] "Look at the version of this block after the one that is shown.";
        Read "read" "read" ["r"] "ReadExperience: append the selected block to the context, after showing what it costs.";
        Compress "compress" "compress" ["C"] "Force a compression: choose how, see it before it happens.";
        Undo "undo" "undo" ["u"] "Take back the last compression or change by hand.";
        Redo "redo" "redo" ["U"] "Do again what was undone last.";
        EditMessage "edit-message" "edit" ["e"] "Edit the selected message in $EDITOR; the run is marked as edited.";
        ExcludeMessage "exclude-message" "exclude" ["x"] "Take the selected message out of the context; undo puts it back.";
        DiffCompression "diff-compression" "diff" ["d"] "Compare the context before and after the compression; again: with the step before.";
    }
    View Everywhere {
        ToggleThinking "toggle-thinking" "thinking" ["t"] "Show or hide what the model thought.";
        ToggleRaw "toggle-raw" "raw" ["v"] "Show the raw record, or the rendered text.";
        ToggleWrap "toggle-wrap" "wrap" ["z"] "Wrap long lines, or scroll them sideways.";
        NextTheme "next-theme" "theme" ["T"] "Choose a theme.";
        ToggleMouse "toggle-mouse" "mouse" ["M"] "Let the mouse act here, or leave it to the terminal for selecting text.";
    }
    Text Everywhere {
        Search "search" "search" ["/"] "Search in the focused pane, or c: context, i: index map, a: archive, t: the whole run; a capital makes case count.";
        NextMatch "next-match" "next" ["n"] "Go to the next match.";
        PreviousMatch "previous-match" "previous" ["N"] "Go to the match before.";
        CopySelection "copy-selection" "copy" ["y"] "Copy what is selected to the clipboard, through the terminal.";
        CopyBlock "copy-block" "copy block" ["Y"] "Copy the whole block to the clipboard, through the terminal.";
        ExportBlock "export-block" "export" ["E"] "Write what is selected, or the block, to a file.";
    }
    Program Everywhere {
        Answer "answer" "answer" ["i"] "Type the next call, where you are the policy of the run.";
        Messages "messages" "messages" ["w"] "Read warnings and messages again.";
        Help "help" "help" ["?", "f1"] "Show every command and its keys; type to filter.";
        Palette "palette" "commands" [":", "ctrl-p"] "Find a command by name and run it.";
        Quit "quit" "quit" ["q"] "Leave; while the agent runs you are asked first.";
    }
    Program Always {
        Back "back" "back" ["esc"] "Close what was opened last; never leaves the program.";
        Interrupt "interrupt" "interrupt" ["ctrl-c"] "Interrupt the call that is being waited for; twice: leave.";
        Suspend "suspend" "suspend" ["ctrl-z"] "Give the shell its terminal back; fg returns.";
    }
}

#[cfg(test)]
mod tests;
