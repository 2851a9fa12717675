//! Connections: how many there may be, how long they may take, and how they end.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::config::{Config, ServeError};
use crate::error::{RETRY_AFTER, Refusal};
use crate::queue::Client;
use crate::router::router;
use crate::signals::Signals;
use crate::state::{Ending, Server};

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

/// Serves until the process is told to end (Ctrl-C, or a termination), then finishes what it is at.
/// On an address of this machine alone, it answers only to the names of this machine.
pub fn serve(listener: std::net::TcpListener, config: &Config) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(ServeError::Threads)?.block_on(async {
        listener.set_nonblocking(true).map_err(ServeError::Listener)?;
        let listener = TcpListener::from_std(listener).map_err(ServeError::Listener)?;
        let address = listener.local_addr().map_err(ServeError::Listener)?;
        let signals = Signals::new().map_err(ServeError::Signals)?;
        tracing::info!(%address, ?config, "listening");
        let server = Server::new(config, address.ip().is_loopback());
        // A connection may wait for its turn and then for an analysis.
        let last_request = config.time.saturating_add(Duration::from_secs(10));
        answer(listener, &server, signals, last_request).await;
        Ok(())
    })
}

async fn answer(
    listener: TcpListener,
    server: &Arc<Server>,
    mut signals: Signals,
    last_request: Duration,
) {
    let router = router(Arc::clone(server));
    let open = &server.visitors.free;
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
    let (closing, _) = watch::channel(false);
    loop {
        let (stream, from) = tokio::select! {
            () = signals.next() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Out of files, most likely: others close soon.
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let Ok(permit) = Arc::clone(open).try_acquire_owned() else {
            server.visitors.turned_away.fetch_add(1, Relaxed);
            tracing::warn!(most = server.visitors.most, "too many connections are open");
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
            let client = Client::new(from.ip());
            connection(stream, client, router, closing, last_request).await;
            drop(permit);
        });
    }
    drop(listener);
    tracing::info!("ending");
    closing.send_replace(true);
    let all = open.acquire_many(server.visitors.most as u32);
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
}

/// Serves one connection. After some time, or when the server ends, it may finish the request it
/// is at, and no more.
async fn connection(
    stream: TcpStream,
    client: Client,
    router: Router,
    mut closing: watch::Receiver<bool>,
    last_request: Duration,
) {
    // Events are small, and each is wanted at once.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(client);
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = pin!(connection);
    tokio::select! {
        // An error is the client's: it broke off or sent what is no request.
        _ = connection.as_mut() => return,
        _ = closing.wait_for(|closing| *closing) => {}
        () = sleep(AGE) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = timeout(last_request, connection).await;
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
