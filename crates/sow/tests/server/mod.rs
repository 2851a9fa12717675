//! A server to ask, ended with the test.
#![allow(dead_code, reason = "no test uses all of it")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What takes longer hangs: no test is about being faster than this.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The names and data of server-sent events.
    pub(crate) fn events(&self) -> Vec<(String, serde_json::Value)> {
        let blocks = self.body.split("\n\n").filter_map(|block| {
            let (name, data) =
                block.trim_start().strip_prefix("event: ")?.split_once("\ndata: ")?;
            Some((name.to_string(), serde_json::from_str(data).unwrap()))
        });
        blocks.collect()
    }
}

impl Server {
    pub(crate) fn start(args: &[&str]) -> Server {
        Server::start_with(args, &[])
    }

    /// Starts with variables set, too.
    pub(crate) fn start_with(args: &[&str], variables: &[(&str, &str)]) -> Server {
        Server::start_as(
            Command::new(env!("CARGO_BIN_EXE_sow")).envs(variables.iter().copied()),
            args,
        )
    }

    /// Starts with standard error written to a file.
    pub(crate) fn start_logged(args: &[&str], log: std::fs::File) -> Server {
        Server::start_as(Command::new(env!("CARGO_BIN_EXE_sow")).stderr(log), args)
    }

    fn start_as(command: &mut Command, args: &[&str]) -> Server {
        let command = command.args(["serve", "--port", "0"]).args(args);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap();
        Server { address: address.trim_end_matches('/').parse().unwrap(), child }
    }

    /// Sends bytes, and leaves the rest to the caller.
    pub(crate) fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    }

    /// Asks without waiting for the answer.
    pub(crate) fn ask(&self, path: &str) -> TcpStream {
        self.send(format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").as_bytes())
    }

    /// A connection from another address of this machine.
    #[cfg(target_os = "linux")]
    pub(crate) fn connect_from(&self, from: [u8; 4]) -> TcpStream {
        use socket2::{Domain, Socket, Type};
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&std::net::SocketAddr::from((from, 0)).into()).unwrap();
        socket.connect(&self.address.into()).unwrap();
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        stream
    }

    /// Asks from another address of this machine, without waiting for the answer.
    #[cfg(target_os = "linux")]
    pub(crate) fn ask_from(&self, from: [u8; 4], path: &str) -> TcpStream {
        let mut stream = self.connect_from(from);
        let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        read(self.ask(path))
    }

    /// The answer, unless the server ends or breaks the connection off.
    pub(crate) fn try_get(&self, path: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
        let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        text.contains("\r\n\r\n").then(|| parse(&text))
    }

    /// Waits until at least as many slots are taken.
    pub(crate) fn wait_for_busy(&self, slots: u64) {
        let start = std::time::Instant::now();
        let busy = || self.get("/api/v1/status").json()["workers"]["busy"].as_u64().unwrap();
        while busy() < slots {
            assert!(start.elapsed() < PATIENCE, "not {slots} slots are taken");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until it has mapped a file of this name.
    #[cfg(target_os = "linux")]
    pub(crate) fn wait_for_map(&self, name: &str) {
        let start = std::time::Instant::now();
        let maps = || std::fs::read_to_string(format!("/proc/{}/maps", self.child.id())).unwrap();
        while !maps().contains(name) {
            assert!(start.elapsed() < PATIENCE, "{name} is not opened");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// The most memory that it has held, in bytes.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    }

    /// What it has used of the processors; nothing is known outside Linux.
    pub(crate) fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let fields = stat.unwrap_or_default();
        // The name may hold blanks; user and system time are the twelfth and thirteenth after it.
        let fields = fields.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
        let ticks: u64 = fields.take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        // SAFETY: a plain question to the system.
        let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        Duration::from_millis(ticks * 1000 / per_second.max(1) as u64)
    }

    /// The threads that solve.
    #[cfg(target_os = "linux")]
    pub(crate) fn workers(&self) -> usize {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm"));
        let names = tasks.filter_map(|task| name(task.ok()?).ok());
        names.filter(|name| name.trim() == "analysis").count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer to the end of the connection.
pub(crate) fn read(mut stream: TcpStream) -> Answer {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    parse(&text)
}

fn parse(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let header = |line: &str| line.split_once(": ").map(|(k, v)| (k.to_string(), v.to_string()));
    Answer { status, headers: lines.filter_map(header).collect(), body: body.to_string() }
}
