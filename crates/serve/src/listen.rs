//! Connections: how many there may be, how long they may take, and how they end.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
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

use crate::activity::Watched;
use crate::config::{Config, ServeError};
use crate::connections::{Place, Share};
use crate::error::{HttpError, RETRY_AFTER};
use crate::proxy::{self, is_proxy};
use crate::queue::Client;
use crate::refusals::Refusals;
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

/// How many clients wait for room at a time.
const WAITING: usize = 64;

/// Serves until the process is told to end (Ctrl-C, or a termination), then finishes what it is at.
/// It answers only to its own names: see [`Config::public_hosts`].
pub fn serve(listener: std::net::TcpListener, config: &Config) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(ServeError::Threads)?.block_on(async {
        listener.set_nonblocking(true).map_err(ServeError::Listener)?;
        let listener = TcpListener::from_std(listener).map_err(ServeError::Listener)?;
        let address = listener.local_addr().map_err(ServeError::Listener)?;
        let signals = Signals::new().map_err(ServeError::Signals)?;
        tracing::info!(%address, ?config, "listening");
        let server = Server::new(config, address.ip());
        answer(listener, &server, signals, Arc::new(config.clone())).await;
        Ok(())
    })
}

async fn answer(
    listener: TcpListener,
    server: &Arc<Server>,
    mut signals: Signals,
    config: Arc<Config>,
) {
    let (closing, closed) = watch::channel(false);
    let connections = &server.visitors.connections;
    let acceptor = Acceptor {
        config,
        router: router(Arc::clone(server)),
        refusals: Arc::clone(&server.visitors.refusals),
        closing: closed,
        turned_away: Arc::new(Semaphore::new(TURNED_AWAY)),
        waiting: Arc::new(Semaphore::new(WAITING)),
    };
    loop {
        let (stream, from) = tokio::select! {
            () = signals.next() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Out of files, most likely: others close soon.
                Err(error) => {
                    server.visitors.refusals.note(None, &error);
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let limited = !is_proxy(&acceptor.config.proxies, from.ip());
        let Some(share) = connections.share(limited.then(|| Client::new(from.ip()))) else {
            acceptor.turn_away(
                stream,
                from,
                HttpError::full_for_client(connections.most_per_client()),
            );
            continue;
        };
        match share.enter() {
            Ok(place) => drop(tokio::spawn(acceptor.clone().connection(stream, from, place))),
            Err(share) => acceptor.wait(stream, from, share),
        }
    }
    drop(listener);
    tracing::info!("ending");
    closing.send_replace(true);
    let ended = async {
        let mut all = pin!(connections.none_left());
        if timeout(GRACE, &mut all).await.is_ok() {
            return;
        }
        server.ending.send_replace(Ending::Stopping);
        server.pool.stop();
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

/// What all connections share.
#[derive(Clone)]
struct Acceptor {
    config: Arc<Config>,
    router: Router,
    refusals: Arc<Refusals>,
    /// Turns true when the server ends.
    closing: watch::Receiver<bool>,
    turned_away: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Acceptor {
    /// Serves one connection. After some time, or when the server ends, it may finish the request it
    /// is at, and no more.
    async fn connection(mut self, stream: TcpStream, from: SocketAddr, place: Place) {
        // Events are small, and each is wanted at once.
        let _ = stream.set_nodelay(true);
        let (router, activity) = (TowerToHyperService::new(self.router), &place.activity);
        let answer = service_fn(|mut request: Request<Incoming>| {
            let answering = activity.answer();
            let client = proxy::client(&self.config.proxies, from.ip(), request.headers());
            request.extensions_mut().insert(client);
            let answered = router.call(request);
            async { answered.await.map(|answer| answer.map(|body| answering.with(body))) }
        });
        let stream = Watched::new(stream, Arc::clone(activity));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), answer);
        let mut connection = pin!(connection);
        tokio::select! {
            // An error is the client's: it broke off or sent what is no request.
            _ = connection.as_mut() => return,
            () = activity.closed() => return,
            _ = self.closing.wait_for(|closing| *closing) => {}
            () = sleep(AGE) => {}
        }
        connection.as_mut().graceful_shutdown();
        // The last request may wait for its turn and then for an analysis.
        let last_request = self.config.time.saturating_add(Duration::from_secs(10));
        tokio::select! {
            _ = timeout(last_request, connection) => {}
            () = activity.closed() => {}
        }
    }

    /// Serves a connection once another one gives way, or turns it away.
    fn wait(&self, stream: TcpStream, from: SocketAddr, share: Share) {
        let Ok(waiting) = Arc::clone(&self.waiting).try_acquire_owned() else {
            return self.turn_away(stream, from, HttpError::full());
        };
        let acceptor = self.clone();
        tokio::spawn(async move {
            let place = share.wait().await;
            drop(waiting);
            match place {
                Some(place) => acceptor.connection(stream, from, place).await,
                None => acceptor.turn_away(stream, from, HttpError::full()),
            }
        });
    }

    /// Refuses a connection, and says why while there are few.
    fn turn_away(&self, stream: TcpStream, from: SocketAddr, error: HttpError) {
        self.refusals.note(Some(from.ip()), &error.status());
        if let Ok(permit) = Arc::clone(&self.turned_away).try_acquire_owned() {
            tokio::spawn(async move {
                let _ = timeout(Duration::from_secs(1), refuse(stream, &error)).await;
                drop(permit);
            });
        }
    }
}

/// Tells a client that there is no room. What it asks is read, since a connection closed on unread
/// bytes would take the answer with it.
async fn refuse(mut stream: TcpStream, error: &HttpError) -> io::Result<()> {
    let body = serde_json::to_string(&error.body())?;
    let answer = format!(
        "HTTP/1.1 {}\r\nRetry-After: {RETRY_AFTER}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        error.status(),
        body.len(),
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}
