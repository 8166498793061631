//! A scripted HTTP server: each connection gets the next script, exact to the byte.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One thing that the server does after it has read a request.
#[derive(Clone, Debug)]
pub enum Do {
    /// Sends bytes as they are.
    Send(Vec<u8>),
    /// Sends each byte as an HTTP chunk and a packet of its own.
    Bytewise(Vec<u8>),
    /// Does nothing for a while.
    Wait(Duration),
    /// Waits until the client has gone, at most this long; notes whether it has.
    UntilGone(Duration),
}

/// One request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Request line and headers.
    pub head: String,
    /// Body.
    pub body: String,
}

impl Seen {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|l| l.split_once(": ").filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v))
    }
}

/// The server; it stops when dropped.
pub struct Server {
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    gone: Arc<Mutex<bool>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub async fn start(scripts: Vec<Vec<Do>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (seen, gone) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(false)));
        let (into, left) = (Arc::clone(&seen), Arc::clone(&gone));
        let task = tokio::spawn(async move {
            for script in scripts {
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                let request = read_request(&mut stream).await;
                into.lock().unwrap().push(request);
                for step in script {
                    perform(&mut stream, step, &left).await;
                }
            }
        });
        Self { url, seen, gone, task }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn client_has_gone(&self) -> bool {
        *self.gone.lock().unwrap()
    }
}

async fn perform(stream: &mut TcpStream, step: Do, gone: &Mutex<bool>) {
    // A client that has gone makes writing fail; the test looks at the client.
    match step {
        Do::Send(bytes) => {
            let _ = stream.write_all(&bytes).await;
        }
        Do::Bytewise(bytes) => {
            for byte in bytes {
                let _ = stream.write_all(&[b'1', b'\r', b'\n', byte, b'\r', b'\n']).await;
                let _ = stream.flush().await;
                tokio::task::yield_now().await;
            }
            let _ = stream.write_all(b"0\r\n\r\n").await;
        }
        Do::Wait(time) => tokio::time::sleep(time).await,
        Do::UntilGone(time) => {
            let mut rest = [0; 1];
            if let Ok(Ok(0) | Err(_)) = tokio::time::timeout(time, stream.read(&mut rest)).await {
                *gone.lock().unwrap() = true;
            }
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Seen {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let n = stream.read(&mut chunk).await.unwrap();
        assert!(n > 0, "the client closed before its request was whole");
        bytes.extend_from_slice(&chunk[..n]);
        let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let seen = Seen { head, body: String::new() };
        let length: usize = seen.header("content-length").unwrap().parse().unwrap();
        if bytes.len() >= end + 4 + length {
            return Seen { body: String::from_utf8(bytes[end + 4..].to_vec()).unwrap(), ..seen };
        }
    }
}

/// A response with a body that ends when the connection closes.
pub fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n{body}").into_bytes()
}

/// A stream that ends when the connection closes.
pub fn stream(body: &str) -> Vec<Do> {
    vec![Do::Send(response("200 OK", "Content-Type: text/event-stream\r\n", body))]
}

/// Events as a server sends them.
pub fn events(json: &[&str]) -> String {
    json.iter().map(|j| format!("data: {j}\n\n")).collect()
}

/// A stream that answers with a text.
pub fn says(text: &str) -> Vec<Do> {
    let delta = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]}).to_string();
    stream(&events(&[&delta, r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#, "[DONE]"]))
}
