//! Connections: how many there may be, how long they may take, and how they end.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::error::{RETRY_AFTER, Refusal};
use super::router::router;
use super::signals::Signals;
use super::state::{Ending, Server};

/// How long a client may take for the head of a request, or be silent between requests.
const HEAD: Duration = Duration::from_secs(10);

/// The most bytes of a request's head.
const HEAD_BYTES: usize = 16 << 10;

/// How long a connection may live before it is asked to close.
const AGE: Duration = Duration::from_secs(600);

/// When the server is told to end: how long requests may go on as if nothing had happened, how long
/// searches that are told to stop may take to tell what they have proven, and how long clients that
/// were told that nothing more comes may take to read it.
const GRACE: Duration = Duration::from_secs(1);
const STOP: Duration = Duration::from_secs(2);
const LEAVE: Duration = Duration::from_secs(1);

/// How many clients beyond the limit are told so at a time; others are just let go.
const TURNED_AWAY: usize = 64;

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How many there may be at a time.
    pub(crate) connections: usize,
    /// How long a request may still take once its connection is to close.
    pub(crate) last_request: Duration,
}

/// Serves until the process is told to end, then finishes what it is at.
pub(crate) async fn serve(
    listener: TcpListener,
    server: Arc<Server>,
    limits: Limits,
) -> io::Result<()> {
    let mut signals = Signals::new()?;
    let router = router(Arc::clone(&server));
    let open = Arc::new(Semaphore::new(limits.connections));
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
    let (closing, _) = watch::channel(false);
    loop {
        let stream = tokio::select! {
            () = signals.next() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Out of files, most likely: others close soon.
                Err(_) => {
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let Ok(permit) = Arc::clone(&open).try_acquire_owned() else {
            if let Ok(permit) = Arc::clone(&turned_away).try_acquire_owned() {
                tokio::spawn(async move {
                    let _ = timeout(Duration::from_secs(1), turn_away(stream)).await;
                    drop(permit);
                });
            }
            continue;
        };
        let (router, closing) = (router.clone(), closing.subscribe());
        tokio::spawn(async move {
            connection(stream, router, closing, limits).await;
            drop(permit);
        });
    }
    drop(listener);
    closing.send_replace(true);
    let all = open.acquire_many(limits.connections as u32);
    let ended = async {
        let mut all = pin!(all);
        if timeout(GRACE, &mut all).await.is_ok() {
            return;
        }
        server.ending.send_replace(Ending::Stopping);
        server.slots.stop();
        if timeout(STOP, &mut all).await.is_ok() {
            return;
        }
        server.ending.send_replace(Ending::Over);
        let _ = timeout(LEAVE, all).await;
    };
    tokio::select! {
        () = ended => {}
        // Somebody who asks twice does not want to wait.
        () = signals.next() => {}
    }
    Ok(())
}

/// Serves one connection. After some time, or when the server ends, it may finish the request it
/// is at, and no more.
async fn connection(
    stream: TcpStream,
    router: Router,
    mut closing: watch::Receiver<bool>,
    limits: Limits,
) {
    // Events are small, and each is wanted at once.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    tokio::select! {
        // An error is the client's: it broke off or sent what is no request.
        _ = connection.as_mut() => return,
        _ = closing.wait_for(|closing| *closing) => {}
        () = sleep(AGE) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = timeout(limits.last_request, connection).await;
}

/// Tells a client that there is no room. What it asks is read, since a connection closed on unread
/// bytes would take the answer with it.
async fn turn_away(mut stream: TcpStream) -> io::Result<()> {
    let body = serde_json::to_string(&Refusal::full().body())?;
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: {RETRY_AFTER}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len(),
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}
