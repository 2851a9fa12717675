//! The queue of jobs: the client with the fewest jobs is next, and long jobs are preempted while others wait.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tokio::sync::oneshot;
use tokio::time::{sleep_until, timeout};

use crate::error::HttpError;

/// How long a job runs before it can be preempted.
const MIN_JOB_TIME: Duration = Duration::from_secs(2);

/// How long a request waits: the time before a job can be preempted, and the time that a search takes to stop.
const MAX_WAIT: Duration = Duration::from_secs(8);

/// The most clients whose last job is remembered.
const MAX_SERVED: usize = 1 << 8;

/// The most requests of one client that wait.
const MAX_WAITING: usize = 8;

/// A client as the network shows it: an IPv4 address, or an IPv6 network of 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Client(Option<IpAddr>);

impl Client {
    pub(crate) fn new(address: IpAddr) -> Client {
        Client(Some(match address.to_canonical() {
            // A household has a whole network.
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !0 << 64).into()),
            address => address,
        }))
    }
}

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Client, Self::Rejection> {
        Ok(parts.extensions.get().copied().unwrap_or_default())
    }
}

/// The jobs under way, at most `size`, and the requests that wait.
#[derive(Debug)]
pub(crate) struct Queue {
    size: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The last number of a job or of a waiting request.
    next: u64,
    jobs: Vec<Job>,
    waiting: Vec<Waiting>,
    /// Clients and the number of their last job, the latest last.
    served: VecDeque<(Client, u64)>,
}

#[derive(Debug)]
struct Job {
    number: u64,
    client: Client,
    since: Instant,
    /// The switch that stops it; `None` if it cannot be preempted.
    stop: Option<Arc<AtomicBool>>,
    preempted: bool,
}

#[derive(Debug)]
struct Waiting {
    number: u64,
    client: Client,
    called: oneshot::Sender<Permit>,
}

/// The permit for a job, which ends when the permit is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    queue: Arc<Queue>,
    number: u64,
}

impl Queue {
    pub(crate) fn new(size: usize) -> Arc<Queue> {
        Arc::new(Queue { size, state: Mutex::default() })
    }

    /// The most jobs at a time.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The number of jobs under way.
    pub(crate) fn busy(&self) -> usize {
        self.lock().jobs.len()
    }

    /// Waits for a permit. If there are as many jobs as may be, one that has run for [`MIN_JOB_TIME`] is preempted.
    pub(crate) async fn acquire(self: &Arc<Self>, client: Client) -> Result<Permit, HttpError> {
        let (number, mut calls) = {
            let mut state = self.lock();
            if state.jobs.len() < self.size {
                return Ok(self.start(&mut state, client));
            }
            let waits = state.waiting.iter().filter(|one| one.client == client).count();
            if waits >= MAX_WAITING {
                return Err(HttpError::busy());
            }
            let (called, calls) = oneshot::channel();
            let number = state.number();
            state.waiting.push(Waiting { number, client, called });
            (number, calls)
        };
        let wait = async {
            loop {
                let until = self.preempt();
                tokio::select! {
                    called = &mut calls => break called.ok(),
                    () = sleep_until(until.into()) => {}
                }
            }
        };
        let permit = timeout(MAX_WAIT, wait).await.ok().flatten();
        self.lock().waiting.retain(|one| one.number != number);
        // A permit that came just at the end of the wait is in the channel.
        permit.or_else(|| calls.try_recv().ok()).ok_or_else(HttpError::busy)
    }

    /// Preempts as many jobs as requests wait, the oldest of the client with the most jobs first. Returns the time of
    /// the next attempt.
    fn preempt(&self) -> Instant {
        let now = Instant::now();
        let mut state = self.lock();
        let wanted = state.waiting.len();
        let mut leaving = state.jobs.iter().filter(|job| job.preempted).count();
        while leaving < wanted {
            let candidates = state.jobs.iter().enumerate().filter(|(_, job)| {
                job.stop.is_some() && !job.preempted && now - job.since >= MIN_JOB_TIME
            });
            let chosen = candidates
                .max_by_key(|(_, job)| (state.held(job.client), Reverse(job.since)))
                .map(|(index, _)| index);
            let Some(index) = chosen else { break };
            let job = &mut state.jobs[index];
            job.preempted = true;
            job.stop.iter().for_each(|stop| stop.store(true, Relaxed));
            leaving += 1;
        }
        let next =
            state.jobs.iter().filter(|job| !job.preempted).map(|job| job.since + MIN_JOB_TIME);
        next.filter(|at| *at > now).min().unwrap_or(now + MIN_JOB_TIME)
    }

    fn start(self: &Arc<Self>, state: &mut State, client: Client) -> Permit {
        let number = state.number();
        let since = Instant::now();
        state.served.retain(|(served, _)| *served != client);
        state.served.push_back((client, number));
        if state.served.len() > MAX_SERVED {
            state.served.pop_front();
        }
        state.jobs.push(Job { number, client, since, stop: None, preempted: false });
        Permit { queue: Arc::clone(self), number }
    }

    /// Ends a job and starts the next: of the client with the fewest jobs, among those of the one served longest ago,
    /// the first request.
    fn end(self: &Arc<Self>, number: u64) {
        let mut state = self.lock();
        state.jobs.retain(|job| job.number != number);
        while state.jobs.len() < self.size {
            let next = state
                .waiting
                .iter()
                .enumerate()
                .min_by_key(|(_, one)| {
                    (state.held(one.client), state.served(one.client), one.number)
                })
                .map(|(index, _)| index);
            let Some(index) = next else { break };
            let Waiting { client, called, .. } = state.waiting.remove(index);
            let permit = self.start(&mut state, client);
            // The client may have gone. Dropping the permit here would wait for the lock.
            if let Err(permit) = called.send(permit) {
                let number = permit.number;
                std::mem::forget(permit);
                state.jobs.retain(|job| job.number != number);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the lock panics")
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The number of the client's last job; 0 if none is remembered.
    fn served(&self, client: Client) -> u64 {
        let last = self.served.iter().find(|(served, _)| *served == client);
        last.map_or(0, |(_, number)| *number)
    }

    fn held(&self, client: Client) -> usize {
        self.jobs.iter().filter(|job| job.client == client).count()
    }
}

impl Permit {
    /// Lets the job be preempted by this switch.
    pub(crate) fn preemptible(&self, stop: &Arc<AtomicBool>) {
        let mut state = self.queue.lock();
        if let Some(job) = state.jobs.iter_mut().find(|job| job.number == self.number) {
            job.stop = Some(Arc::clone(stop));
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.queue.end(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u8) -> Client {
        Client::new([10, 0, 0, number].into())
    }

    #[tokio::test]
    async fn the_client_with_the_fewest_jobs_is_next() {
        let queue = Queue::new(2);
        let (one, two) =
            (queue.acquire(client(1)).await.unwrap(), queue.acquire(client(1)).await.unwrap());
        assert_eq!(queue.busy(), 2);
        let wait = |number| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.acquire(client(number)).await })
        };
        let greedy = wait(1);
        tokio::task::yield_now().await;
        let modest = wait(2);
        tokio::task::yield_now().await;
        drop(one);
        // The client that came later but has no job is next.
        let permit = modest.await.unwrap().unwrap();
        assert!(!greedy.is_finished());
        drop(two);
        greedy.await.unwrap().unwrap();
        drop(permit);
        assert_eq!(queue.busy(), 0);
    }

    #[tokio::test]
    async fn long_jobs_are_preempted_while_others_wait() {
        let queue = Queue::new(1);
        let stop = Arc::<AtomicBool>::default();
        let permit = queue.acquire(client(1)).await.unwrap();
        permit.preemptible(&stop);
        let started = Instant::now();
        let worker = tokio::spawn({
            let stop = Arc::clone(&stop);
            async move {
                while !stop.load(Relaxed) {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                drop(permit);
            }
        });
        assert!(!stop.load(Relaxed), "no request waits");
        queue.acquire(client(2)).await.unwrap();
        assert!(started.elapsed() >= MIN_JOB_TIME);
        worker.await.unwrap();
    }

    #[tokio::test]
    async fn waits_and_waiting_requests_are_limited() {
        let queue = Queue::new(1);
        // This job cannot be preempted.
        let _permit = queue.acquire(client(1)).await.unwrap();
        let wait = || {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.acquire(client(2)).await.map(drop) })
        };
        let waiting: Vec<_> = (0..MAX_WAITING).map(|_| wait()).collect();
        for _ in 0..MAX_WAITING {
            tokio::task::yield_now().await;
        }
        // The next request of the client is refused at once.
        let next = timeout(MAX_WAIT / 2, queue.acquire(client(2))).await.expect("no wait");
        assert!(next.is_err());
        for one in waiting {
            assert!(one.await.unwrap().is_err());
        }
        assert!(queue.lock().waiting.is_empty());
    }

    #[test]
    fn clients_are_networks() {
        let client = |text: &str| Client::new(text.parse().unwrap());
        assert_eq!(client("2001:db8::1"), client("2001:db8::2"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:10.0.0.1"), client("10.0.0.1"));
        assert_ne!(client("10.0.0.1"), client("10.0.0.2"));
    }
}
