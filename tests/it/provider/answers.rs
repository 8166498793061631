//! What servers send when nothing is wrong, in all the ways in which they send it.

use std::time::Duration;

use memex::memory::ToolCall;
use memex::policy::{Delta, Turn};
use memex::session::{ActFault, Usage};
use serde_json::json;

use super::server::{Do, Server, events, response, stream};
use super::talk::{ask_once, shown};

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

async fn answer(script: Vec<Do>) -> (Turn, Vec<Delta>) {
    let server = Server::start(vec![script]).await;
    let (answer, deltas) = ask_once(&server.url).await;
    (answer.unwrap(), deltas)
}

async fn answer_to(body: &str) -> Turn {
    answer(stream(body)).await.0
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

#[tokio::test]
async fn every_byte_a_chunk_of_its_own() {
    let body = events(&[
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"reasoning_content":"dächte"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"你好 🌍 é"}}]}"#,
        STOP,
        "[DONE]",
    ]);
    let head = response("200 OK", "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n", "");
    let (turn, deltas) = answer(vec![Do::Send(head), Do::Bytewise(body.into_bytes())]).await;
    assert_eq!((turn.thinking.as_deref(), turn.text.as_deref()), (Some("dächte"), Some("你好 🌍 é")));
    assert_eq!(shown(&deltas), ("dächte".to_owned(), "你好 🌍 é".to_owned()));
    assert_eq!(turn.finish.as_deref(), Some("stop"));
}

#[tokio::test]
async fn events_that_say_nothing() {
    let nothings = [
        r#"{"choices":[]}"#,
        r#"{"choices":null}"#,
        r#"{"id":"x"}"#,
        r#"{"choices":[{"index":0,"delta":null}]}"#,
        r#"{"choices":[{"index":0}]}"#,
        r#"{"choices":[{"delta":{"role":"assistant"},"finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":null,"tool_calls":null,"reasoning":null}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[]},"finish_reason":""}],"usage":null,"error":null}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"another answer"},"finish_reason":"stop"}]}"#,
    ];
    let text = r#"{"choices":[{"index":0,"delta":{"content":"x"}}]}"#;
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":8}}}"#;
    for nothing in nothings {
        let turn = answer_to(&events(&[nothing, text, nothing, STOP, nothing, usage, "[DONE]"])).await;
        let usage = Some(Usage { prompt: Some(10), completion: Some(2), cached: Some(8) });
        let expected = Turn { text: Some("x".into()), finish: Some("stop".into()), usage, ..Turn::default() };
        assert_eq!(turn, expected, "{nothing}");
    }
    // Nothing but a reason to stop is an empty answer, not an error.
    assert_eq!(answer_to(&events(&[STOP])).await, Turn { finish: Some("stop".into()), ..Turn::default() });
}

#[tokio::test]
async fn keep_alives_and_line_ends() {
    let body = concat!(
        ": OPENROUTER PROCESSING\r\n\r\n:\r\n\r\ndata:\r\n\r\nevent: message\r\nid: 7\r\n",
        "data:{\"choices\":[{\"index\":0,\r\ndata: \"delta\":{\"content\":\"x\"}}]}\r\n\r\n",
        "retry: 5\n\n: still here\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}",
    );
    // Neither a blank line at the end nor [DONE].
    let turn = answer_to(body).await;
    assert_eq!((turn.text.as_deref(), turn.finish.as_deref()), (Some("x"), Some("stop")));
    // [DONE] without a reason ends an answer too.
    let turn = answer_to(&events(&[r#"{"choices":[{"delta":{"content":"x"}}]}"#, "[DONE]"])).await;
    assert_eq!((turn.text.as_deref(), turn.finish), (Some("x"), None));
}

#[tokio::test]
async fn a_server_that_keeps_the_connection_open_holds_nobody_up() {
    let last = r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}"#;
    // With its own mark at once; without it as soon as no usage can be expected any more (here: 3 s).
    for (list, at_most) in [(&[last, "[DONE]"][..], 2), (&[last][..], 4)] {
        let mut script = stream(&events(list));
        script.push(Do::Wait(Duration::from_secs(60)));
        let started = std::time::Instant::now();
        assert_eq!(answer(script).await.0.text.as_deref(), Some("x"));
        assert!(started.elapsed() < Duration::from_secs(at_most), "{list:?}");
    }
}

#[tokio::test]
async fn parallel_calls_in_pieces() {
    let (turn, deltas) = answer(stream(&events(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"look","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"go","arguments":"{\"to\""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":null,"arguments":" 1}"}},{"index":1,"function":{"arguments":":\"é\"}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    ])))
    .await;
    assert_eq!(turn.calls, [call("a", "look", "{\"n\": 1}"), call("b", "go", "{\"to\":\"é\"}")]);
    assert_eq!(turn.finish.as_deref(), Some("tool_calls"));
    let first: String = deltas
        .iter()
        .filter_map(|d| match d {
            Delta::Call { name, arguments } if name == "look" => Some(arguments.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(first, "{\"n\": 1}");
}

#[tokio::test]
async fn calls_as_other_servers_send_them() {
    // The same index for all, no index at all, the name again with each piece, arguments as an object.
    for (pieces, expected) in [
        (
            vec![
                r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}"#,
                r#"{"index":0,"id":"b","function":{"name":"y","arguments":"{}"}}"#,
            ],
            vec![call("a", "x", "{}"), call("b", "y", "{}")],
        ),
        (
            vec![
                r#"{"id":"a","function":{"name":"x","arguments":"{"}}"#,
                r#"{"function":{"arguments":"}"}}"#,
                r#"{"id":"b","function":{"name":"y"}}"#,
            ],
            vec![call("a", "x", "{}"), call("b", "y", "")],
        ),
        (
            vec![
                r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{"}}"#,
                r#"{"index":0,"id":"a","function":{"name":"x","arguments":"}"}}"#,
            ],
            vec![call("a", "x", "{}")],
        ),
        (
            vec![r#"{"index":0,"function":{"name":"x","arguments":{"n": 9223372036854775807, "f":1e400}}}"#],
            vec![call("", "x", r#"{"n": 9223372036854775807, "f":1e400}"#)],
        ),
        (vec![r#"{"index":0,"function":{"name":"x","arguments":"\"{}\""}}"#], vec![call("", "x", "\"{}\"")]),
    ] {
        let json: Vec<String> = pieces.iter().map(|p| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{p}]}}}}]}}"#)).collect();
        let mut list: Vec<&str> = json.iter().map(String::as_str).collect();
        list.push(r#"{"choices":[{"finish_reason":"tool_calls"}]}"#);
        assert_eq!(answer_to(&events(&list)).await.calls, expected, "{pieces:?}");
    }
}

#[tokio::test]
async fn thinking_by_any_name() {
    for (delta, thinking, text) in [
        (json!({"reasoning_content": "z", "content": "x"}), "z", "x"),
        (json!({"reasoning": "z", "content": "x"}), "z", "x"),
        (json!({"reasoning": "z", "reasoning_content": "z", "content": "x"}), "z", "x"),
        (json!({"content": "<think>\nz\n</think>\n\nx"}), "z", "x"),
        (json!({"content": "z\n</think>\nx"}), "z", "x"),
        (json!({"content": [{"type": "text", "text": "<think>z</think>"}, {"type": "text", "text": "x"}]}), "z", "x"),
    ] {
        let body = json!({"choices": [{"delta": delta}]}).to_string();
        let (turn, deltas) = answer(stream(&events(&[&body, STOP]))).await;
        assert_eq!((turn.thinking.as_deref(), turn.text.as_deref()), (Some(thinking), Some(text)), "{delta}");
        let (seen, said) = shown(&deltas);
        assert_eq!((seen.trim(), said.as_str()), (thinking, text), "{delta}");
    }
}

#[tokio::test]
async fn an_answer_cut_at_the_limit_runs_nothing() {
    let turn = answer_to(&events(&[
        r#"{"choices":[{"delta":{"content":"x","tool_calls":[{"index":0,"id":"a","function":{"name":"CompressExperience","arguments":"{\"summary\":\"s\"}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
    ]))
    .await;
    assert_eq!((turn.fault, turn.calls.len(), turn.text.as_deref()), (Some(ActFault::CutAtLimit), 0, Some("x")));
}

#[tokio::test]
async fn servers_that_do_not_stream() {
    let body = r#" {"choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning":"z","tool_calls":[
        {"id":"a","type":"function","function":{"name":"look","arguments":"{\"n\":1}"}},
        {"id":"b","type":"function","function":{"name":"go","arguments":{}}}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
    for kind in ["application/json", "text/event-stream", "text/plain"] {
        let (turn, _) = answer(vec![Do::Send(response("200 OK", &format!("Content-Type: {kind}\r\n"), body))]).await;
        assert_eq!(turn.calls, [call("a", "look", "{\"n\":1}"), call("b", "go", "{}")], "{kind}");
        assert_eq!((turn.thinking.as_deref(), turn.usage.unwrap().completion), (Some("z"), Some(4)));
    }
}
