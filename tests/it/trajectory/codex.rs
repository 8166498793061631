//! Codex rollouts.

use serde_json::{Value, json};

use super::{Tally, context, lines, load, tally};
use crate::shared::shared;
use memex::session::Event;

fn item(payload: Value) -> Value {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload})
}

fn says(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
}

fn calls(id: &str) -> Value {
    item(json!({"type": "function_call", "name": "shell", "arguments": "{\"n\": 1}", "call_id": id}))
}

fn answers(id: &str, output: Value) -> Value {
    item(json!({"type": "function_call_output", "call_id": id, "output": output}))
}

fn event(payload: Value) -> Value {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": payload})
}

fn usage(run: &memex::trajectory::Run) -> Vec<Option<u64>> {
    let acted = |e: &Event| if let Event::Acted(a) = e { Some(a.usage.and_then(|u| u.prompt)) } else { None };
    run.timeline().events().iter().filter_map(|e| acted(&e.event)).collect()
}

/// Counted by hand, line by line: an answer ends where an output or a message of the user follows.
#[test]
fn the_sample_counts_as_a_person_counts_it() {
    let Some(file) = shared("trajectories/codex/compacted.jsonl") else { return };
    let (runs, format) = load(&file);
    assert_eq!((format, runs.len()), ("codex", 1));
    // Unmapped: what the session is, the settings of the turn, the record of the future.
    assert_eq!(tally(&runs[0]), Tally { steps: 5, thoughts: 3, calls: 4, results: 4, turns: 1, compressions: 1, unmapped: 3 });
    let texts = context(&runs[0]);
    assert_eq!(texts.len(), 6, "{texts:#?}");
    assert_eq!(texts[2], "Read lines 100-220 of unitsystem.py; the Function branch returns inconsistent types at 192-196.");
    assert_eq!(texts[5], "The Function branch should return Dimension(1).");
    // The file gives running totals of 1000, 2000 and 3000.
    assert_eq!(usage(&runs[0]), [Some(1000), Some(1000), Some(1000), None, None]);
    assert_eq!(runs[0].timeline().tail().started().unwrap().config.window, Some(32_000));
}

#[test]
fn what_belongs_to_one_answer_is_one_step() {
    let runs = lines(
        "codex",
        &[
            says("user", "<environment_context>cwd</environment_context>"),
            says("user", "go"),
            item(json!({"type": "reasoning", "summary": [], "encrypted_content": "opaque"})),
            says("assistant", "I look"),
            calls("a"),
            calls("b"),
            event(json!({"type": "token_count", "info": {"last_token_usage": {"input_tokens": 11, "output_tokens": 2}}})),
            answers("a", json!("one")),
            answers("b", json!([{"type": "input_text", "text": "two"}])),
            event(json!({"type": "agent_message", "message": "I look"})),
            calls("a"),
            answers("a", json!({"content": "three", "success": false})),
        ],
    );
    assert_eq!(tally(&runs[0]), Tally { steps: 2, thoughts: 1, calls: 3, results: 3, turns: 1, ..Tally::default() });
    let texts = context(&runs[0]);
    assert_eq!(texts[0], "<environment_context>cwd</environment_context>");
    assert_eq!(texts[1..4], ["go", "[reasoning encrypted by the server]", "I look"]);
    assert_eq!(texts[6..8], ["one", "two"]);
    assert_eq!(texts[9], "three");
    assert_eq!(usage(&runs[0]), [Some(11), None]);
    // The id that is used twice pairs each result with its own call.
    let calls: Vec<String> = runs[0]
        .timeline()
        .events()
        .iter()
        .filter_map(|e| match &e.event {
            Event::Observed(o) => o.call.as_ref().map(ToString::to_string),
            _ => None,
        })
        .collect();
    assert_eq!(calls, ["a", "b", "a#2"]);
}

#[test]
fn a_replacement_keeps_what_it_repeats() {
    let message = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let runs = lines(
        "codex",
        &[
            says("user", "go"),
            says("assistant", "first"),
            says("user", "then this"),
            says("assistant", "second"),
            json!({"timestamp": "2026-01-01T00:00:00Z", "type": "compacted", "payload": {"message": "all is well",
                "replacement_history": [message("go"), message("then this"), message("Another model began:\nall is well")]}}),
            says("user", "on"),
        ],
    );
    assert_eq!(&context(&runs[0])[1..], ["go", "Another model began:\nall is well", "then this", "on"]);
    assert_eq!(runs[0].timeline().tail().compressions().len(), 1);
}

#[test]
fn an_encrypted_summary_is_said_to_be_one() {
    let history = json!([{"type": "message", "role": "user", "content": "go"}, {"type": "compaction", "encrypted_content": "xxxx"}]);
    let compacted = json!({"type": "compacted", "payload": {"message": "", "replacement_history": history}});
    let runs = lines("codex", &[says("user", "go"), says("assistant", "first"), compacted]);
    let texts = context(&runs[0]);
    assert!(texts[2].starts_with("[summary encrypted by the server, "), "{texts:?}");
    assert_eq!(texts.len(), 3);
}

#[test]
fn turns_that_were_rolled_back_are_a_branch() {
    let runs = lines(
        "codex",
        &[
            says("user", "go"),
            says("assistant", "first"),
            says("user", "wrong"),
            says("assistant", "wrong answer"),
            event(json!({"type": "thread_rolled_back", "num_turns": 1})),
            says("user", "right"),
            says("assistant", "right answer"),
        ],
    );
    let texts: Vec<Vec<String>> = runs.iter().map(|r| context(r)[1..].to_vec()).collect();
    assert_eq!(texts, [vec!["go", "first", "right", "right answer"], vec!["go", "first", "wrong", "wrong answer"]]);
}

#[test]
fn a_turn_cut_in_the_middle_shows_its_call() {
    let runs = lines("codex", &[says("user", "go"), calls("a")]);
    assert_eq!((runs[0].steps(), runs[0].unanswered()), (1, 1));
}
