//! The sample files of other formats, as another program counts them.
//!
//! Counted by a script with Python's `json`: answers are messages of the assistant (or agent); calls are its `tool_calls`, or
//! its action or fenced command where it has none; results are messages of a tool, or turns of the user that follow such an
//! action; the other turns of the user are turns. Steps that ATIF marks as copied are not counted, but for the task among
//! them; of OpenHands' events those that change or show the agent's state, and `null` observations, are not.

use super::{load, tally};
use crate::shared::shared;

/// File, format, and of each run: steps, calls, results, turns.
type Counts<'a> = (&'a str, &'a str, &'a [(u32, usize, usize, usize)]);

const SAMPLES: &[Counts<'_>] = &[
    ("swe-agent/ctf-web.traj", "swe-agent", &[(21, 21, 20, 1)]),
    ("swe-agent/marshmallow-function-calling.traj", "swe-agent", &[(13, 13, 13, 1)]),
    ("swe-agent/marshmallow-xml.traj", "swe-agent", &[(11, 11, 10, 1)]),
    ("atif/hello-world-context-summarization-linear-history.trajectory.cont-1.json", "atif", &[(4, 0, 0, 5)]),
    ("atif/hello-world-context-summarization-linear-history.trajectory.json", "atif", &[(3, 0, 0, 4)]),
    ("atif/hello-world-context-summarization.trajectory.json", "atif", &[(7, 7, 7, 2)]),
    ("atif/hello-world-context-summarization.trajectory.summarization-1-summary.json", "atif", &[(1, 0, 0, 2)]),
    ("atif/hello-world-timeout.trajectory.json", "atif", &[(3, 3, 3, 1)]),
    ("inspect/dedup.eval", "inspect", &[(6, 5, 5, 1)]),
    ("inspect/popularity.eval", "inspect", &[(1, 0, 0, 1); 10]),
    ("openhands/demo1.json", "openhands", &[(5, 4, 4, 1)]),
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
