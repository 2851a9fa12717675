//! Lines over TCP and over a WebSocket, bounded in length and patience.

use std::io;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use sowing_protocol::hosts::{HostError, Hosts};
use sowing_protocol::kgp::{Line, MAX_LINE, SOCKET_PATH};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::http::header::{HOST, HeaderValue, ORIGIN};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::address::Address;

/// How long somebody may take to read a line that is sent, or to open a WebSocket.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long a server may take to answer at all.
const CONNECT: Duration = Duration::from_secs(10);

/// The most lines that wait to be read by us; whoever sends more has to wait.
const INCOMING: usize = 64;

/// The most lines that wait to be read by the other side; whoever leaves more is gone.
const OUTGOING: usize = 1024;

/// Why no more lines come.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    #[error("the other side closed the connection")]
    Closed,
    #[error("the other side said goodbye")]
    Goodbye,
    #[error("a line of more than {MAX_LINE} characters")]
    Long,
    #[error("{0}")]
    Io(io::Error),
    #[error("{0}")]
    Web(Box<Error>),
}

/// A connection: lines in, lines out. When it is dropped what was sent is still written.
#[derive(Debug)]
pub(crate) struct Wire {
    lines: mpsc::Receiver<Result<String, WireError>>,
    out: mpsc::Sender<String>,
    reader: tokio::task::AbortHandle,
}

/// Why a browser's request to open a WebSocket is refused, if it is.
fn refusal(hosts: &Hosts, request: &Request) -> Option<(StatusCode, String)> {
    let header = |name| request.headers().get_all(name).into_iter().map(HeaderValue::as_bytes);
    let host = header(HOST).next();
    let checked =
        hosts.check_host(header(HOST)).and_then(|()| hosts.check_origin(host, header(ORIGIN)));
    let foreign = match checked {
        Ok(()) if request.uri().path() == SOCKET_PATH => return None,
        Ok(()) => return Some((StatusCode::NOT_FOUND, format!("try {SOCKET_PATH}\n"))),
        Err(foreign) => foreign,
    };
    let status = match foreign {
        HostError::Host => StatusCode::MISDIRECTED_REQUEST,
        _ => StatusCode::FORBIDDEN,
    };
    Some((status, format!("{foreign}\n")))
}

impl Wire {
    /// Opens a connection to a server.
    pub(crate) async fn open(address: &Address) -> Result<Wire, WireError> {
        let opened = timeout(CONNECT, async {
            let stream = TcpStream::connect((address.host(), address.port())).await;
            let stream = stream.map_err(WireError::Io)?;
            stream.set_nodelay(true).map_err(WireError::Io)?;
            if !address.is_web() {
                return Ok(Wire::tcp(stream));
            }
            let config = Some(config());
            let url = address.to_string();
            let opened = tokio_tungstenite::client_async_with_config(url, stream, config).await;
            let (stream, _) = opened.map_err(|error| WireError::Web(Box::new(error)))?;
            Ok(Wire::web(stream))
        });
        let late = || WireError::Io(io::Error::new(io::ErrorKind::TimedOut, "no answer"));
        opened.await.unwrap_or_else(|_| Err(late()))
    }

    /// A client that has come over TCP.
    pub(crate) fn tcp(stream: TcpStream) -> Wire {
        let (read, mut write) = stream.into_split();
        Wire::start(
            |lines| async move { read_tcp(BufReader::new(read), &lines).await },
            |mut waiting| async move {
                while let Some(line) = waiting.recv().await {
                    let written = timeout(PATIENCE, write.write_all(line.as_bytes())).await;
                    if !matches!(written, Ok(Ok(()))) {
                        break;
                    }
                }
                let _ = timeout(PATIENCE, write.shutdown()).await;
            },
        )
    }

    /// A client that has come to where WebSockets are opened.
    pub(crate) async fn accept_web(stream: TcpStream, hosts: &Hosts) -> Result<Wire, WireError> {
        #[expect(clippy::result_large_err, reason = "the crate wants it so")]
        let at_path = |request: &Request, response: Response| {
            let Some((status, why)) = refusal(hosts, request) else { return Ok(response) };
            let mut refused = ErrorResponse::new(Some(why));
            *refused.status_mut() = status;
            Err(refused)
        };
        let opened =
            tokio_tungstenite::accept_hdr_async_with_config(stream, at_path, Some(config()));
        match timeout(PATIENCE, opened).await {
            Ok(Ok(stream)) => Ok(Wire::web(stream)),
            Ok(Err(error)) => Err(WireError::Web(Box::new(error))),
            Err(_) => Err(WireError::Closed),
        }
    }

    fn web(stream: WebSocketStream<TcpStream>) -> Wire {
        let (mut write, mut read) = stream.split();
        Wire::start(
            |lines| async move {
                loop {
                    let text = match read.next().await {
                        Some(Ok(Message::Text(text))) => text.as_str().to_string(),
                        Some(Ok(Message::Binary(bytes))) => {
                            String::from_utf8_lossy(&bytes).into_owned()
                        }
                        Some(Ok(Message::Close(_))) | None => return WireError::Closed,
                        Some(Ok(_)) => continue,
                        Some(Err(Error::ConnectionClosed | Error::AlreadyClosed)) => {
                            return WireError::Closed;
                        }
                        Some(Err(error)) => return WireError::Web(Box::new(error)),
                    };
                    // A message is a line or more; its end is the end of a line too. Nobody may listen
                    // any more.
                    for line in text.lines() {
                        let line = match line.chars().count() {
                            0..=MAX_LINE => Ok(line.to_string()),
                            _ => Err(WireError::Long),
                        };
                        let _ = lines.send(line).await;
                    }
                }
            },
            |mut waiting| async move {
                while let Some(line) = waiting.recv().await {
                    let written = timeout(PATIENCE, write.send(Message::text(line))).await;
                    if !matches!(written, Ok(Ok(()))) {
                        break;
                    }
                }
                let _ = timeout(PATIENCE, write.close()).await;
            },
        )
    }

    fn start<R, W>(
        read: impl FnOnce(mpsc::Sender<Result<String, WireError>>) -> R,
        write: impl FnOnce(mpsc::Receiver<String>) -> W,
    ) -> Wire
    where
        R: Future<Output = WireError> + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let (incoming, lines) = mpsc::channel(INCOMING);
        let (out, waiting) = mpsc::channel(OUTGOING);
        let read = read(incoming.clone());
        let reader = tokio::spawn(async move {
            let why = read.await;
            let _ = incoming.send(Err(why)).await;
        });
        tokio::spawn(write(waiting));
        Wire { lines, out, reader: reader.abort_handle() }
    }

    /// The next line. It may be waited for together with other things: nothing is lost.
    pub(crate) async fn next(&mut self) -> Result<String, WireError> {
        self.lines.recv().await.unwrap_or(Err(WireError::Closed))
    }

    /// Sends a line, without waiting. Whoever does not read what is sent is gone.
    pub(crate) fn send(&self, line: &Line) -> Result<(), WireError> {
        self.out.try_send(format!("{line}\r\n")).map_err(|_| WireError::Closed)
    }
}

/// How long what still comes is read and thrown away after the end. A connection that is closed before all
/// of it is read is broken off, and the other side may not get our last words.
const LINGER: Duration = Duration::from_secs(1);

impl Drop for Wire {
    fn drop(&mut self) {
        let reader = self.reader.clone();
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(async move {
                tokio::time::sleep(LINGER).await;
                reader.abort();
            })),
            Err(_) => reader.abort(),
        }
    }
}

fn config() -> WebSocketConfig {
    let most = 4 * MAX_LINE;
    WebSocketConfig::default().max_message_size(Some(most)).max_frame_size(Some(most))
}

/// Passes lines on until there are no more. Of one that has no end this is told, and nothing after it.
async fn read_tcp(
    mut read: BufReader<impl AsyncRead + Unpin>,
    lines: &mpsc::Sender<Result<String, WireError>>,
) -> WireError {
    let mut line = Vec::new();
    let mut deaf = false;
    loop {
        let buffer = match read.fill_buf().await {
            Ok([]) => return WireError::Closed,
            Ok(buffer) => buffer,
            Err(error) => return WireError::Io(error),
        };
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(buffer.len(), |end| end + 1);
        if !deaf {
            line.extend_from_slice(&buffer[..taken]);
        }
        read.consume(taken);
        // Characters can be longer than a byte, but not than four.
        let endless = line.len() > 4 * MAX_LINE + 2;
        if deaf || end.is_none() && !endless {
            continue;
        }
        let text = String::from_utf8_lossy(&line).into_owned();
        line.clear();
        deaf = endless || text.trim_end().chars().count() > MAX_LINE;
        // Nobody may listen any more.
        let _ = lines.send(if deaf { Err(WireError::Long) } else { Ok(text) }).await;
    }
}
