//! The sample files of other formats, as another program counts them.
//!
//! Counted by a script with Python's `json`: answers are messages of the assistant (or agent); calls are its `tool_calls`, or
//! its action or fenced command where it has none; results are messages of a tool, or turns of the user that follow such an
//! action; the other turns of the user are turns.

use super::{load, tally};
use crate::shared::shared;

/// File, format, and of each run: steps, calls, results, turns.
type Counts<'a> = (&'a str, &'a str, &'a [(u32, usize, usize, usize)]);

const SAMPLES: &[Counts<'_>] = &[
    ("swe-agent/ctf-web.traj", "swe-agent", &[(21, 21, 20, 1)]),
    ("swe-agent/marshmallow-function-calling.traj", "swe-agent", &[(13, 13, 13, 1)]),
    ("swe-agent/marshmallow-xml.traj", "swe-agent", &[(11, 11, 10, 1)]),
    ("mini-swe-agent/github_issue.traj.json", "mini-swe-agent", &[(10, 10, 10, 1)]),
    (
        "text/agentbench_multiturn_react.json",
        "openai",
        &[(7, 7, 6, 1), (7, 7, 6, 1), (6, 6, 5, 1), (7, 7, 6, 1), (9, 9, 8, 1), (9, 9, 8, 1)],
    ),
];

#[test]
fn samples_count_as_python_counts_them() {
    let Some(folder) = shared("trajectories") else { return };
    for (file, format, runs) in SAMPLES {
        let (read, found) = load(&folder.join(file));
        assert_eq!(found, *format, "{file}");
        let counted: Vec<_> = read.iter().map(tally).map(|t| (t.steps, t.calls, t.results, t.turns)).collect();
        assert_eq!(counted, *runs, "{file}");
    }
}
