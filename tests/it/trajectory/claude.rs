//! Claude Code sessions.

use serde_json::{Value, json};

use super::{Tally, context, lines, load, tally};
use crate::shared::shared;
use memex::session::Event;
use memex::trajectory::Relation;

fn user(uuid: &str, parent: Option<&str>, content: Value) -> Value {
    json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z",
        "message": {"role": "user", "content": content}})
}

fn assistant(uuid: &str, parent: &str, id: &str, block: Value) -> Value {
    json!({"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": "2026-01-01T00:00:01Z",
        "message": {"role": "assistant", "id": id, "model": "m", "content": [block], "usage": {"input_tokens": 7, "output_tokens": 3}}})
}

fn says(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn calls(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": id}})
}

fn answers(id: &str, text: &str) -> Value {
    json!([{"type": "tool_result", "tool_use_id": id, "content": text}])
}

fn side(mut record: Value) -> Value {
    record["isSidechain"] = true.into();
    record
}

/// Counted by a script that reads the lines with Python's `json`: distinct `message.id` (each record where there is none),
/// blocks by type, records whose `message` is no object with `content`.
#[test]
fn the_samples_count_as_python_counts_them() {
    let Some(folder) = shared("trajectories/claude-code") else { return };
    let counts = [
        ("compacted.jsonl", Tally { steps: 5, thoughts: 3, calls: 4, results: 4, turns: 1, compressions: 1, unmapped: 0 }),
        ("edge_cases.jsonl", Tally { steps: 4, thoughts: 0, calls: 3, results: 1, turns: 7, compressions: 0, unmapped: 6 }),
        ("representative_messages.jsonl", Tally { steps: 5, thoughts: 0, calls: 2, results: 2, turns: 4, compressions: 0, unmapped: 0 }),
        ("sample_session.json", Tally { steps: 15, thoughts: 1, calls: 12, results: 12, turns: 5, compressions: 1, unmapped: 0 }),
        ("todowrite_examples.jsonl", Tally { steps: 6, thoughts: 0, calls: 3, results: 3, turns: 2, compressions: 0, unmapped: 0 }),
    ];
    for (name, expected) in counts {
        let (runs, format) = load(&folder.join(name));
        assert_eq!((format, runs.len()), ("claude-code", 1), "{name}");
        assert_eq!(tally(&runs[0]), expected, "{name}");
    }
}

#[test]
fn a_compaction_is_a_compression_by_the_agent_without_blocks() {
    let Some(file) = shared("trajectories/claude-code/compacted.jsonl") else { return };
    let (runs, _) = load(&file);
    let session = runs[0].timeline().tail();
    let compression = &session.compressions()[0];
    assert!(compression.event.blocks.is_empty());
    let texts = context(&runs[0]);
    // m0, u, σ, and what followed: a call, its result, the last answer.
    assert_eq!(texts.len(), 6, "{texts:#?}");
    assert!(texts[1].starts_with("Find where the exponent is checked"));
    assert!(texts[2].starts_with("Summary: functions f_0..f_39"));
    assert_eq!(texts[5], "It is in f_12.");
    let note = runs[0].timeline().events().iter().find_map(|e| if let Event::Note(n) = &e.event { Some(n.text.clone()) } else { None });
    assert_eq!(note.as_deref(), Some("Claude Code compacted the conversation (trigger: manual, 15230 tokens before it by its own count)"));
}

#[test]
fn parts_of_one_answer_are_one_step_whatever_stands_between_them() {
    let runs = lines(
        "claude-code",
        &[
            user("u1", None, json!("go")),
            assistant("a1", "u1", "msg", json!({"type": "thinking", "thinking": "look"})),
            assistant("a2", "a1", "msg", calls("A")),
            user("r1", Some("a2"), answers("A", "one")),
            json!({"type": "progress", "uuid": "p1", "parentUuid": "a2"}),
            assistant("a3", "a2", "msg", calls("B")),
            user("r2", Some("a3"), answers("B", "two")),
            assistant("a4", "r2", "next", says("done")),
        ],
    );
    assert_eq!(runs.len(), 1);
    assert_eq!(tally(&runs[0]), Tally { steps: 2, thoughts: 1, calls: 2, results: 2, turns: 1, compressions: 0, unmapped: 1 });
    let texts = context(&runs[0]);
    assert_eq!(texts[2], "look");
    assert_eq!(&texts[5..], ["one", "two", "done"]);
}

#[test]
fn going_back_leaves_a_branch_and_coming_back_goes_on_with_it() {
    let runs = lines(
        "claude-code",
        &[
            user("u1", None, json!("go")),
            assistant("a1", "u1", "m1", says("first")),
            user("u2", Some("a1"), json!("wrong way")),
            assistant("a2", "u2", "m2", says("wrong answer")),
            user("u3", Some("a1"), json!("right way")),
            assistant("a3", "u3", "m3", says("right answer")),
            user("u4", Some("a2"), json!("the wrong way again")),
            assistant("a4", "u4", "m4", says("more of it")),
        ],
    );
    let texts: Vec<Vec<String>> = runs.iter().map(|r| context(r)[1..].to_vec()).collect();
    assert_eq!(
        texts,
        [
            vec!["go", "first", "right way", "right answer"],
            vec!["go", "first", "wrong way", "wrong answer", "the wrong way again", "more of it"],
        ]
    );
    // Started, status, answer.
    assert_eq!(runs[1].relation, Relation::Branch { of: 0, events: 3 });
    assert_eq!(runs[1].name, "main (left at step 1)");
}

#[test]
fn results_of_calls_made_side_by_side_are_no_branches() {
    let runs = lines(
        "claude-code",
        &[
            user("u1", None, json!("go")),
            assistant("a1", "u1", "m1", calls("A")),
            assistant("a2", "a1", "m1", calls("B")),
            // Each hangs on its own call; the next answer hangs on one of them.
            user("r2", Some("a2"), answers("B", "two")),
            user("r1", Some("a1"), answers("A", "one")),
            assistant("a3", "r2", "m2", says("done")),
        ],
    );
    assert_eq!(runs.len(), 1);
    assert_eq!(&context(&runs[0])[4..], ["two", "one", "done"]);
}

#[test]
fn sub_agents_are_runs_of_their_own() {
    let runs = lines(
        "claude-code",
        &[
            user("u1", None, json!("go")),
            assistant("a1", "u1", "m1", calls("Task")),
            side(user("s1", None, json!("look for it"))),
            side(assistant("s2", "s1", "x1", says("found"))),
            side(user("t1", None, json!("look for that"))),
            side(assistant("s3", "s2", "x2", says("really"))),
            side(assistant("t2", "t1", "y1", says("that too"))),
            user("r1", Some("a1"), answers("Task", "found it")),
            assistant("a2", "r1", "m2", says("done")),
        ],
    );
    let texts: Vec<Vec<String>> = runs.iter().map(|r| context(r)[1..].to_vec()).collect();
    assert_eq!(texts[0][2..], ["found it", "done"]);
    assert_eq!(texts[1], ["look for it", "found", "really"]);
    assert_eq!(texts[2], ["look for that", "that too"]);
    assert_eq!(runs[1].relation, Relation::SubAgent { of: Some(0) });
}

#[test]
fn what_a_boundary_preserves_stays_behind_the_summary() {
    let mut boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null, "logicalParentUuid": "gone",
        "compactMetadata": {"trigger": "auto", "preTokens": 9}});
    boundary["compactMetadata"]["preservedSegment"] = json!({"headUuid": "u2", "tailUuid": "a2"});
    let mut summary = user("c", Some("b"), json!("so far: nothing"));
    summary["isCompactSummary"] = true.into();
    let runs = lines(
        "claude-code",
        &[
            user("u1", None, json!("go")),
            assistant("a1", "u1", "m1", says("first")),
            user("u2", Some("a1"), json!("on")),
            assistant("a2", "u2", "m2", says("second")),
            boundary,
            summary,
            user("u3", Some("c"), json!("and on")),
        ],
    );
    assert_eq!(&context(&runs[0])[1..], ["go", "so far: nothing", "on", "second", "and on"]);
}

#[test]
fn a_boundary_without_a_summary_empties_the_context() {
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null});
    let runs = lines(
        "claude-code",
        &[user("u1", None, json!("go")), assistant("a1", "u1", "m1", says("first")), boundary, user("u3", Some("b"), json!("and on"))],
    );
    assert_eq!(&context(&runs[0])[1..], ["go", "", "and on"]);
}

#[test]
fn records_that_are_repeated_or_written_by_the_program_are_kept_apart() {
    let mut error = assistant("e", "a1", "x", says("API Error: 500"));
    error["isApiErrorMessage"] = true.into();
    let again = assistant("a1", "u1", "m1", says("first"));
    let runs =
        lines("claude-code", &[user("u1", None, json!("go")), again.clone(), again, error, json!({"type": "from the future"}), json!(42)]);
    assert_eq!(tally(&runs[0]), Tally { steps: 1, turns: 1, unmapped: 4, ..Tally::default() });
}
