//! A small world and a script for the loop's own tests: every effect is visible, nothing is random.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use memex::agent::live::{Agent, Beginning, Parts};
use memex::agent::{Command, Handle, Update};
use memex::env::{Answer, Environment, EnvironmentError, Reply};
use memex::memory::ToolCall;
use memex::memory::tools::ToolSpec;
use memex::policy::{DeltaSink, Policy, PolicyError, Request, Turn};
use memex::session::journal::{Header, Journal};
use memex::session::{Envelope, RunConfig, Session};
use memex::store::MemoryVault;
use memex::text::tokens::{Counter, Estimate};
use serde_json::{Value, json};

/// A notebook: `note` changes it, `show` shows it, `wait` never answers.
#[derive(Default)]
pub(crate) struct Notebook {
    pub(crate) lines: Vec<String>,
}

impl Environment for Notebook {
    fn settings(&self) -> Value {
        json!({"kind": "notebook"})
    }
    fn system_prompt(&self) -> String {
        "You keep a notebook.".into()
    }
    fn task(&self) -> String {
        "Fill the notebook.".into()
    }
    fn tools(&self) -> Vec<ToolSpec> {
        let text = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
        ["note", "show", "wait", "finish"].map(|n| ToolSpec { name: n.into(), description: n.into(), parameters: text.clone() }).to_vec()
    }
    fn finish_tool(&self) -> &str {
        "finish"
    }
    fn finish(&mut self, arguments: &Value) -> Result<Answer, String> {
        let text = arguments.get("text").and_then(Value::as_str).ok_or("finish needs text")?;
        Ok(Answer { text: text.into() })
    }
    fn call<'a>(&'a mut self, call: &'a ToolCall, arguments: &'a Value) -> BoxFuture<'a, Result<Reply, EnvironmentError>> {
        Box::pin(async move {
            match &*call.name {
                "note" => {
                    self.lines.push(arguments["text"].as_str().unwrap_or("").into());
                    Ok(Reply { text: format!("noted as line {}", self.lines.len()), state_changed: Some(true) })
                }
                "show" => Ok(Reply { text: format!("BEGIN\n{}\nEND", self.lines.join("\n")), state_changed: Some(false) }),
                _ => std::future::pending().await,
            }
        })
    }
    fn success(&self) -> Option<bool> {
        Some(self.lines.len() >= 2)
    }
}

/// Answers from a list; records what it was asked.
pub(crate) struct List {
    pub(crate) answers: VecDeque<Turn>,
    pub(crate) asked: Arc<std::sync::Mutex<Vec<Request>>>,
}

impl Policy for List {
    fn settings(&self) -> Value {
        json!({"kind": "list"})
    }
    fn name(&self) -> String {
        "list".into()
    }
    fn act<'a>(&'a mut self, request: &'a Request, _: DeltaSink<'a>) -> BoxFuture<'a, Result<Turn, PolicyError>> {
        self.asked.lock().unwrap().push(request.clone());
        let answer = self.answers.pop_front().ok_or_else(|| PolicyError::Exhausted("the list has ended".into()));
        Box::pin(async move { answer })
    }
}

pub(crate) fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: "".into(), name: name.into(), arguments: arguments.to_string().into() }
}
pub(crate) fn turn(thinking: &str, calls: &[(&str, Value)]) -> Turn {
    Turn { thinking: Some(thinking.into()), calls: calls.iter().map(|(n, a)| call(n, a.clone())).collect(), ..Turn::default() }
}
pub(crate) fn note(text: &str) -> Turn {
    turn("I write.", &[("note", json!({"text": text}))])
}
pub(crate) fn finish(text: &str) -> Turn {
    turn("Done.", &[("finish", json!({"text": text}))])
}
pub(crate) fn compress(summary: &str, blocks: Value) -> Turn {
    turn("I archive.", &[("CompressExperience", json!({"summary": summary, "db_blocks": blocks}))])
}
pub(crate) fn read(index: &str) -> Turn {
    turn("I look it up.", &[("ReadExperience", json!({"db_index": index}))])
}

pub(crate) struct World {
    pub(crate) handle: Handle,
    pub(crate) events: Vec<Arc<Envelope>>,
    pub(crate) refused: Vec<String>,
    pub(crate) asked: Arc<std::sync::Mutex<Vec<Request>>>,
    pub(crate) task: tokio::task::JoinHandle<Session>,
}

impl World {
    /// A run of the notebook against a list of answers, with its journal where one is wanted.
    pub(crate) fn start(config: RunConfig, answers: Vec<Turn>, journal: Option<&std::path::Path>) -> Self {
        let journal = journal.map(|p| Journal::create(std::fs::File::create_new(p).unwrap(), p, &Header::new("test", 0)).unwrap());
        let begin = Beginning::Open { session: "test".into(), config: Box::new(config) };
        Self::with(Session::default(), journal, answers, begin, Notebook::default())
    }
    pub(crate) fn with(session: Session, journal: Option<Journal>, answers: Vec<Turn>, begin: Beginning, env: Notebook) -> Self {
        Self::assemble(session, journal, answers, begin, env, Arc::new(Estimate))
    }
    fn assemble(session: Session, journal: Option<Journal>, answers: Vec<Turn>, begin: Beginning, env: Notebook, counter: Counter) -> Self {
        let asked = Arc::default();
        let policy = Box::new(List { answers: answers.into(), asked: Arc::clone(&asked) });
        let parts = Parts {
            session,
            journal,
            vault: Box::new(MemoryVault::default()),
            policy,
            environment: Box::new(env),
            counter,
            clock: || 7,
            pace: 0,
        };
        let (agent, handle) = Agent::new(parts, begin);
        Self { handle, events: Vec::new(), refused: Vec::new(), asked, task: tokio::spawn(agent.run()) }
    }
    pub(crate) fn send(&self, command: Command) {
        self.handle.commands.send(command).unwrap();
    }
    /// A run that keeps nothing, counted by `counter`.
    pub(crate) fn counted(config: RunConfig, answers: Vec<Turn>, counter: Counter) -> Self {
        let begin = Beginning::Open { session: "test".into(), config: Box::new(config) };
        Self::assemble(Session::default(), None, answers, begin, Notebook::default(), counter)
    }
    /// Takes news until `enough`.
    pub(crate) async fn until(&mut self, enough: impl Fn(&Update) -> bool) {
        let news = async {
            while let Some(update) = self.handle.updates.recv().await {
                match &update {
                    Update::Recorded(e) => self.events.push(Arc::clone(e)),
                    Update::Refused(r) | Update::Trouble(r) => self.refused.push(r.clone()),
                    _ => {}
                }
                if enough(&update) {
                    return;
                }
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(10), news).await.expect("the agent answers");
    }
    pub(crate) async fn rests(&mut self) {
        use memex::agent::RunMode::{Ended, Paused};
        self.until(|u| matches!(u, Update::Mode(Paused | Ended))).await;
    }
    /// Runs to the end and leaves.
    pub(crate) async fn finish(mut self) -> (Vec<Arc<Envelope>>, Session) {
        self.send(Command::Run);
        self.until(|u| matches!(u, Update::Mode(memex::agent::RunMode::Ended))).await;
        self.send(Command::Quit);
        let session = self.task.await.unwrap();
        (self.events, session)
    }
    pub(crate) fn kinds(&self) -> Vec<String> {
        kinds(&self.events)
    }
}

pub(crate) fn kinds(events: &[Arc<Envelope>]) -> Vec<String> {
    events.iter().map(|e| e.event.type_name().to_owned()).collect()
}
pub(crate) fn texts(session: &Session) -> Vec<String> {
    session.context().messages().map(|m| m.text.to_string()).collect()
}
