//! What the tests say to a server: contexts built by hand, and one request of a policy.

use std::sync::Arc;

use memex::memory::tools::{ToolSpec, read_spec};
use memex::memory::{Context, Index, Kind, Link, Message, MessageId, ToolCall};
use memex::policy::openai::{OpenAi, Settings};
use memex::policy::{Delta, Policy, PolicyError, Request, Turn};

/// Builds M message by message.
pub struct M {
    pub context: Context,
    next: u64,
    step: u32,
}

impl M {
    pub fn new() -> Self {
        let mut m = Self { context: Context::default(), next: 0, step: 0 };
        let (system, task) = (m.make(Kind::System, "You are an agent.", Link::None), m.make(Kind::Task, "Put the mug away.", Link::None));
        m.context = Context::new(system, task, 0);
        m
    }

    fn make(&mut self, kind: Kind, text: &str, link: Link) -> Arc<Message> {
        let id = MessageId(self.next);
        self.next += 1;
        Arc::new(Message { id, step: self.step, kind, text: text.into(), tokens: 1, link })
    }

    pub fn push(&mut self, kind: Kind, text: &str, link: Link) -> &mut Self {
        let message = self.make(kind, text, link);
        self.context.push(message);
        self
    }

    /// The next step begins with its status.
    pub fn status(&mut self) -> &mut Self {
        self.step += 1;
        let text = format!("[Context Status: {}]", self.step);
        self.push(Kind::Status, &text, Link::None)
    }

    pub fn thinks(&mut self, text: &str) -> &mut Self {
        self.push(Kind::Thinking, text, Link::None)
    }

    pub fn says(&mut self, text: &str) -> &mut Self {
        self.push(Kind::Answer, text, Link::None)
    }

    pub fn calls(&mut self, id: &str, name: &str, arguments: &str) -> &mut Self {
        let call = ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() };
        self.push(Kind::Call, &call.text(), Link::Call(Arc::new(call.clone())))
    }

    pub fn result(&mut self, id: &str, text: &str) -> &mut Self {
        self.push(Kind::Observation, text, Link::Answer(id.into()))
    }

    pub fn read(&mut self, id: Option<&str>, text: &str) -> &mut Self {
        let index = Index::new("ctx_001").unwrap();
        self.push(Kind::Retrieved, text, Link::Retrieved { call: id.map(Arc::from), index, version: 1, part: 1 })
    }

    pub fn notice(&mut self, text: &str) -> &mut Self {
        self.push(Kind::Notice, text, Link::None)
    }

    pub fn compress(&mut self, summary: &str) -> &mut Self {
        let message = self.make(Kind::Summary, summary, Link::None);
        self.context.rewrite(message);
        self
    }

    pub fn request(&self) -> Request {
        let look = ToolSpec { name: "look".into(), description: "Looks.".into(), parameters: serde_json::json!({"type": "object"}) };
        Request { step: self.step, context: self.context.clone(), tools: [read_spec(), look].into(), force: None }
    }
}

/// Short waits, so that tests are quick.
pub fn settings(url: &str) -> Settings {
    let mut settings = Settings::new(url, "test-model");
    settings.first_wait = std::time::Duration::from_millis(5);
    settings.idle_timeout = std::time::Duration::from_secs(5);
    settings
}

/// One request; never longer than a test may take.
pub async fn ask(policy: &mut OpenAi, request: &Request) -> (Result<Turn, PolicyError>, Vec<Delta>) {
    let mut deltas = Vec::new();
    let mut sink = |d: Delta| deltas.push(d);
    let answer = tokio::time::timeout(std::time::Duration::from_secs(20), policy.act(request, &mut sink)).await;
    (answer.expect("the policy hangs"), deltas)
}

/// One request with short waits to a server at its first step.
pub async fn ask_once(url: &str) -> (Result<Turn, PolicyError>, Vec<Delta>) {
    let mut policy = OpenAi::new(settings(url)).unwrap();
    ask(&mut policy, M::new().status().request_ref()).await
}

impl M {
    /// The request, for one expression.
    pub fn request_ref(&self) -> &'static Request {
        Box::leak(Box::new(self.request()))
    }
}

/// What the deltas since the last restart show: thinking and text.
pub fn shown(deltas: &[Delta]) -> (String, String) {
    let (mut thinking, mut text) = (String::new(), String::new());
    for delta in deltas {
        match delta {
            Delta::Thinking(t) => thinking += t,
            Delta::Text(t) => text += t,
            Delta::Restart => (thinking, text) = Default::default(),
            Delta::Call { .. } | Delta::Waiting(_) => {}
        }
    }
    (thinking, text)
}
