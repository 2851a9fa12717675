//! A server under load, on loopback.
//!
//! Requests are due at fixed times, and each is timed from when it was due: a server that falls behind cannot hide it.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use serde::Serialize;
use sowing_command::failure::Failure;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::report::BenchReport;

/// A server under load: cheap requests while analyses run in every slot, and 200 clients are slow or send nonsense.
#[derive(Clone, Debug)]
pub struct Load {
    /// The program `sow`, whose command `serve` is started.
    pub program: PathBuf,
    /// Requests per second.
    pub rate: u64,
    /// The duration in seconds.
    pub seconds: u64,
    /// The longest that 99 of 100 requests may take, in milliseconds.
    pub p99: u64,
}

impl Load {
    /// Measures, and prints one line or one JSON object. Fails with [`Failure::Negative`] if the server does not hold.
    pub fn run(&self, report: &mut BenchReport<'_>) -> Result<(), Failure> {
        let server = Server::start(&self.program)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| cannot(&error))?;
        let outcome = runtime.block_on(measure(self, &server))?;
        runtime.shutdown_background();
        if report.json {
            serde_json::to_writer(&mut *report.out, &outcome)?;
            writeln!(report.out)?;
        } else {
            outcome.print(report.out)?;
        }
        report.out.flush()?;
        outcome.judge(self)
    }
}

const SLOTS: u64 = 2;
const SLOT_MEMORY: u64 = 256 << 20;
/// For all that is not an analysis.
const OTHER_MEMORY: u64 = 128 << 20;
const CLIENTS: u64 = 32;
const BAD_CLIENTS: usize = 200;

/// Requests that are answered at once.
const CHEAP: [&str; 4] = [
    "/api/v1/position?game=kalah(6,4)&moves=3,6,2,1,5",
    "/api/v1/games",
    "/",
    "/api/v1/position?game=s-kalaha(6,6)&moves=1",
];

/// Positions that take far longer than the bench.
const HARD: [&str; SLOTS as usize] = ["kalah(7,7)", "kalah(6,9)"];

#[derive(Serialize)]
struct Answered {
    work: &'static str,
    requests: u64,
    failed: u64,
    seconds: f64,
    per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
    max_ms: f64,
    bad_clients: u64,
    memory: u64,
    memory_budget: u64,
    analyses_running: usize,
}

fn cannot(error: &dyn std::fmt::Display) -> Failure {
    Failure::Input(format!("the load test cannot run: {error}"))
}

/// A server of its own, ended with the bench.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(program: &Path) -> Result<Server, Failure> {
        let (slots, memory) = (SLOTS.to_string(), SLOT_MEMORY.to_string());
        let mut child = Command::new(program)
            .args(["serve", "--port", "0", "--threads", "1", "--time-each", "1h"])
            .args(["--workers", &slots, "--memory", &memory])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| cannot(&error))?;
        let mut line = String::new();
        let out = child.stdout.take().expect("it was asked for");
        BufReader::new(out).read_line(&mut line).map_err(|error| cannot(&error))?;
        let address = line.trim().strip_prefix("listening on http://");
        let address = address.and_then(|address| address.trim_end_matches('/').parse().ok());
        let server = Server { child, address: address.unwrap_or(([127, 0, 0, 1], 0).into()) };
        if server.address.port() == 0 {
            return Err(cannot(&format!("the server said {line:?}")));
        }
        Ok(server)
    }

    /// The most memory that it has had; 0 where the system does not tell.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kibibytes.unwrap_or(0) << 10
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn measure(load: &Load, server: &Server) -> Result<Answered, Failure> {
    let address = server.address;
    let mut analyses = Vec::new();
    for game in HARD {
        analyses.push(tokio::spawn(analyse(address, game)));
    }
    // Until both are at work, and the bad clients are there.
    sleep(Duration::from_secs(1)).await;
    let bad = Arc::new(AtomicU64::new(0));
    for number in 0..BAD_CLIENTS {
        tokio::spawn(misbehave(address, number, Arc::clone(&bad)));
    }
    sleep(Duration::from_millis(500)).await;
    let start = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| tokio::spawn(ask(address, client, load.rate, load.seconds, start)))
        .collect();
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.await.map_err(|error| cannot(&error))?);
    }
    let seconds = start.elapsed().as_secs_f64();
    let running = analyses.iter().filter(|analysis| !analysis.is_finished()).count();
    let requests = times.len() as u64;
    let mut times: Vec<Duration> = times.into_iter().flatten().collect();
    times.sort_unstable();
    let at = |part: f64| {
        let index = (part * times.len() as f64) as usize;
        times
            .get(index.min(times.len().saturating_sub(1)))
            .map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    };
    Ok(Answered {
        work: "serve",
        requests,
        failed: requests - times.len() as u64,
        seconds,
        per_second: times.len() as f64 / seconds,
        p50_ms: at(0.5),
        p99_ms: at(0.99),
        max_ms: at(1.0),
        bad_clients: bad.load(Relaxed),
        memory: server.memory(),
        memory_budget: SLOTS * SLOT_MEMORY + OTHER_MEMORY,
        analyses_running: running,
    })
}

impl Answered {
    fn print(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let mib = |bytes: u64| bytes >> 20;
        writeln!(
            out,
            "{} requests in {:.1} s, {:.0} a second, {} failed",
            self.requests, self.seconds, self.per_second, self.failed,
        )?;
        writeln!(
            out,
            "each took {:.2} ms (median), {:.2} ms (99 %), {:.2} ms (all)",
            self.p50_ms, self.p99_ms, self.max_ms,
        )?;
        writeln!(
            out,
            "beside {} analyses and {} connections of {BAD_CLIENTS} bad clients; {} of {} MiB",
            self.analyses_running,
            self.bad_clients,
            mib(self.memory),
            mib(self.memory_budget),
        )?;
        Ok(())
    }

    fn judge(&self, load: &Load) -> Result<(), Failure> {
        let fault = if self.failed > 0 {
            "requests failed"
        } else if self.p99_ms > load.p99 as f64 {
            "requests took too long"
        } else if self.memory > self.memory_budget {
            "the server took too much memory"
        } else if self.analyses_running < HARD.len() {
            "an analysis ended early"
        } else {
            return Ok(());
        };
        Err(Failure::Negative(format!("the server does not hold under load: {fault}")))
    }
}

fn request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

/// Reads an analysis to its end.
async fn analyse(address: SocketAddr, game: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request(&format!("/api/v1/analysis?game={game}")).as_bytes()).await?;
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

/// A client's share of the requests: how long each took from when it was due; `None` if it failed.
async fn ask(
    address: SocketAddr,
    client: u64,
    rate: u64,
    seconds: u64,
    start: Instant,
) -> Vec<Option<Duration>> {
    let mut times = Vec::new();
    let mut stream = None;
    for number in (client..rate * seconds).step_by(CLIENTS as usize) {
        let due = start + Duration::from_secs_f64(number as f64 / rate as f64);
        sleep_until(due).await;
        let path = CHEAP[number as usize % CHEAP.len()];
        let answered = timeout(Duration::from_secs(10), get(&mut stream, address, path)).await;
        let right = matches!(answered, Ok(Ok(200)));
        if !right {
            stream = None;
        }
        times.push(right.then(|| due.elapsed()));
    }
    times
}

/// Asks on a connection that stays open. The status of the answer.
async fn get(
    stream: &mut Option<TcpStream>,
    address: SocketAddr,
    path: &str,
) -> std::io::Result<u16> {
    let connection = match stream {
        Some(connection) => connection,
        None => {
            let fresh = TcpStream::connect(address).await?;
            fresh.set_nodelay(true)?;
            stream.insert(fresh)
        }
    };
    connection.write_all(request(path).as_bytes()).await?;
    let mut answer = Vec::with_capacity(8 << 10);
    loop {
        if connection.read_buf(&mut answer).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if let Some((status, length)) = head(&answer)
            && answer.len() >= length
        {
            return Ok(status);
        }
    }
}

/// The status of an answer and its length, once its head is there.
fn head(answer: &[u8]) -> Option<(u16, usize)> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&answer[..end]).ok()?;
    let status = text.split(' ').nth(1)?.parse().ok()?;
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    Some((status, end + length.parse::<usize>().ok()?))
}

/// A client that is slow or sends nonsense, over and over.
async fn misbehave(address: SocketAddr, number: usize, count: Arc<AtomicU64>) {
    loop {
        if let Ok(stream) = TcpStream::connect(address).await {
            count.fetch_add(1, Relaxed);
            // How it ends does not matter.
            let _ = match number % 5 {
                0 => dribble(stream).await,
                1 => nonsense(stream, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").await,
                2 => nonsense(stream, &[b'A'; 100_000]).await,
                3 => nonsense(stream, b"").await,
                _ => deaf(stream).await,
            };
        }
        sleep(Duration::from_millis(200)).await;
    }
}

/// Sends the head of a request byte by byte and never ends it.
async fn dribble(mut stream: TcpStream) -> std::io::Result<()> {
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await?;
    loop {
        sleep(Duration::from_millis(250)).await;
        stream.write_all(b"a").await?;
    }
}

/// Sends something that is no request, and waits to be turned away.
async fn nonsense(mut stream: TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    stream.write_all(bytes).await?;
    let mut buffer = [0; 512];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

/// Asks, and does not read the answers.
async fn deaf(mut stream: TcpStream) -> std::io::Result<()> {
    for _ in 0..200 {
        stream.write_all(request(CHEAP[0]).as_bytes()).await?;
    }
    sleep(Duration::from_secs(60)).await;
    Ok(())
}
