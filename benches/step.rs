//! One step outside the model: status, answer, 2 kB observation, counted, journaled and synced.
//!
//! `cargo bench --bench step [-- STEPS]`. Goals: flat (last tenth ≤ 1.2 × first tenth of 2,000 steps), every byte
//! tokenised once (≤ 1.05 × bytes appended), disk ≤ 2 × content. Prints the process's CPU time per step; run
//! beside a peer's loop for a ratio.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a bench that cannot run should stop")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use memex::agent::live::{Agent, Beginning, Parts};
use memex::agent::{Command, RunMode, Update};
use memex::env::{Answer, Environment, EnvironmentError, Reply};
use memex::memory::ToolCall;
use memex::memory::tools::ToolSpec;
use memex::policy::{DeltaSink, Policy, PolicyError, Request, Turn};
use memex::session::journal::{Header, Journal};
use memex::session::{Event, RunConfig, Session};
use memex::store::MemoryVault;
use memex::text::tokens::{Counter, TokenCounter, TokenizerChoice};
use serde_json::{Value, json};

struct Log(Vec<String>, usize);

impl Environment for Log {
    fn settings(&self) -> Value {
        json!({"kind": "log"})
    }
    fn system_prompt(&self) -> String {
        "You are an agent.".into()
    }
    fn task(&self) -> String {
        "Task: do it".into()
    }
    fn tools(&self) -> Vec<ToolSpec> {
        let parameters = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        ["look", "finish"].map(|n| ToolSpec { name: n.into(), description: n.into(), parameters: parameters.clone() }).to_vec()
    }
    fn finish_tool(&self) -> &str {
        "finish"
    }
    fn finish(&mut self, _: &Value) -> Result<Answer, String> {
        Ok(Answer { text: "done".into() })
    }
    fn call<'a>(&'a mut self, _: &'a ToolCall, _: &'a Value) -> BoxFuture<'a, Result<Reply, EnvironmentError>> {
        self.1 += 1;
        let text = self.0[self.1 % self.0.len()].clone();
        Box::pin(async move { Ok(Reply { text, state_changed: Some(false) }) })
    }
    fn success(&self) -> Option<bool> {
        None
    }
}

struct Looks(u32);

impl Policy for Looks {
    fn settings(&self) -> Value {
        json!({"kind": "bench"})
    }
    fn name(&self) -> String {
        "bench".into()
    }
    fn act<'a>(&'a mut self, request: &'a Request, _: DeltaSink<'a>) -> BoxFuture<'a, Result<Turn, PolicyError>> {
        let name = if request.step < self.0 { "look" } else { "finish" };
        let call = ToolCall { id: "".into(), name: name.into(), arguments: format!("{{\"n\":{}}}", request.step).into() };
        let turn = Turn { thinking: Some(format!("THOUGHT: step {}", request.step)), calls: vec![call], ..Turn::default() };
        Box::pin(async move { Ok(turn) })
    }
}

/// Counts what it is asked to count.
struct Counting(Counter, AtomicU64);

impl TokenCounter for Counting {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn exact(&self) -> bool {
        self.0.exact()
    }
    fn count(&self, text: &str) -> u32 {
        self.1.fetch_add(text.len() as u64, Ordering::Relaxed);
        self.0.count(text)
    }
    fn prefix(&self, text: &str, limit: u32) -> usize {
        self.0.prefix(text, limit)
    }
}

fn cpu_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn main() {
    let steps: u32 = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(2000);
    let observations = (0..64u64)
        .map(|k| {
            let mut text = String::new();
            let mut n = k * 1009;
            while text.len() < 2000 {
                n += 7;
                text += &format!(
                    "2026-04-01T00:00:{:02} INFO worker[{}] compaction finished in {} ms key={:08x}\n",
                    n % 60,
                    n % 9973,
                    n % 7919,
                    n.wrapping_mul(2_654_435_761)
                );
            }
            text.truncate(2000);
            text
        })
        .collect();
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("journal.jsonl");
    let journal = Journal::create(std::fs::File::create_new(&path).expect("a file"), &path, &Header::new("bench", 0)).expect("a journal");
    let counter = TokenizerChoice::preferred().load().expect("a tokenizer");
    counter.count("warm");
    let counter = Arc::new(Counting(counter, AtomicU64::new(0)));
    let parts = Parts {
        session: Session::default(),
        journal: Some(journal),
        vault: Box::new(MemoryVault::default()),
        policy: Box::new(Looks(steps)),
        environment: Box::new(Log(observations, 0)),
        counter: Arc::clone(&counter) as Counter,
        clock: || 0,
        pace: 0,
    };
    let config = RunConfig { max_steps: steps + 1, threshold: u64::MAX, ..RunConfig::default() };
    let (agent, mut handle) = Agent::new(parts, Beginning::Open { session: "bench".into(), config: Box::new(config) });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut marks = Vec::with_capacity(steps as usize);
    let session = runtime.block_on(async {
        let task = tokio::spawn(agent.run());
        let _ = handle.commands.send(Command::Run);
        while let Some(update) = handle.updates.recv().await {
            match update {
                Update::Recorded(e) if matches!(e.event, Event::Status(_)) => marks.push(cpu_ms()),
                Update::Mode(RunMode::Ended) => {
                    let _ = handle.commands.send(Command::Quit);
                }
                _ => {}
            }
        }
        task.await.expect("the agent")
    });
    let each: Vec<f64> = marks.windows(2).map(|w| w[1] - w[0]).collect();
    let tenth = each.len() / 10;
    let mean = |s: &[f64]| s.iter().sum::<f64>() / s.len() as f64;
    let (first, last) = (mean(&each[..tenth]), mean(&each[each.len() - tenth..]));
    let content: u64 = session.context().messages().map(|m| m.text.len() as u64).sum();
    let schemas: u64 =
        session.started().map_or(0, |s| s.tools.iter().map(|t| serde_json::to_string(t).expect("a schema").len() as u64).sum());
    let disk = std::fs::metadata(&path).expect("the journal").len();
    println!(
        "{steps} steps: CPU per step {first:.3} ms in the first tenth, {last:.3} ms in the last, ratio {:.2} (goal ≤ 1.2)",
        last / first
    );
    println!(
        "tokenised {:.3} × bytes appended (goal ≤ 1.05), disk {:.2} × content (goal ≤ 2)",
        counter.1.load(Ordering::Relaxed) as f64 / (content + schemas) as f64,
        disk as f64 / content as f64
    );
}
