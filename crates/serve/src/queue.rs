//! Who works next: those who hold the fewest slots, and nobody for long while others wait.

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

use crate::error::Refusal;

/// How long a job may go on once others wait, counted from its start.
const SHARE: Duration = Duration::from_secs(2);

/// How long a request waits for its turn: a share, and as long as a search needs to notice that it
/// is to stop.
const PATIENCE: Duration = Duration::from_secs(8);

/// The clients that are remembered as served.
const MAX_SERVED: usize = 1 << 8;

/// The most requests of one client that wait.
const MOST_WAITING: usize = 8;

/// Who asks, as far as the network tells: an address, or, of those with many, its network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Client(Option<IpAddr>);

impl Client {
    pub(crate) fn new(address: IpAddr) -> Client {
        Client(Some(match address.to_canonical() {
            // A household has a whole network of these.
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

/// Jobs under way, at most so many, and those who wait for their turn.
#[derive(Debug)]
pub(crate) struct Queue {
    all: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The next number of a job or of somebody who waits.
    next: u64,
    jobs: Vec<Job>,
    waiting: Vec<Waiting>,
    /// The clients that began a job last, and its number, the latest last.
    served: VecDeque<(Client, u64)>,
}

#[derive(Debug)]
struct Job {
    number: u64,
    client: Client,
    since: Instant,
    /// The switch that ends it, where it can give way, until it is turned for that reason.
    stop: Option<Arc<AtomicBool>>,
    giving_way: bool,
}

#[derive(Debug)]
struct Waiting {
    number: u64,
    client: Client,
    called: oneshot::Sender<Turn>,
}

/// The right to work. It is given back when it goes.
#[derive(Debug)]
pub(crate) struct Turn {
    queue: Arc<Queue>,
    number: u64,
}

impl Queue {
    pub(crate) fn new(all: usize) -> Arc<Queue> {
        Arc::new(Queue { all, state: Mutex::default() })
    }

    /// How many may work at a time.
    pub(crate) fn all(&self) -> usize {
        self.all
    }

    /// How many work.
    pub(crate) fn busy(&self) -> usize {
        self.lock().jobs.len()
    }

    /// A turn, now or soon. Where all are busy, a job that has had its share gives way.
    pub(crate) async fn take(self: &Arc<Self>, client: Client) -> Result<Turn, Refusal> {
        let (number, mut calls) = {
            let mut state = self.lock();
            if state.jobs.len() < self.all {
                return Ok(self.begin(&mut state, client));
            }
            let waits = state.waiting.iter().filter(|one| one.client == client).count();
            if waits >= MOST_WAITING {
                return Err(Refusal::busy());
            }
            let (called, calls) = oneshot::channel();
            let number = state.number();
            state.waiting.push(Waiting { number, client, called });
            (number, calls)
        };
        let wait = async {
            loop {
                let until = self.make_room();
                tokio::select! {
                    called = &mut calls => break called.ok(),
                    () = sleep_until(until.into()) => {}
                }
            }
        };
        let turn = timeout(PATIENCE, wait).await.ok().flatten();
        self.lock().waiting.retain(|one| one.number != number);
        // Whoever was called just when patience ended has the turn in the channel.
        turn.or_else(|| calls.try_recv().ok()).ok_or_else(Refusal::busy)
    }

    /// Has as many jobs give way as there are others waiting, those first whose client holds most
    /// and that have worked longest. Says when to look again.
    fn make_room(&self) -> Instant {
        let now = Instant::now();
        let mut state = self.lock();
        let wanted = state.waiting.len();
        let mut leaving = state.jobs.iter().filter(|job| job.giving_way).count();
        while leaving < wanted {
            let candidates = state.jobs.iter().enumerate().filter(|(_, job)| {
                job.stop.is_some() && !job.giving_way && now - job.since >= SHARE
            });
            let chosen = candidates
                .max_by_key(|(_, job)| (state.held(job.client), Reverse(job.since)))
                .map(|(index, _)| index);
            let Some(index) = chosen else { break };
            let job = &mut state.jobs[index];
            job.giving_way = true;
            job.stop.iter().for_each(|stop| stop.store(true, Relaxed));
            leaving += 1;
        }
        let next = state.jobs.iter().filter(|job| !job.giving_way).map(|job| job.since + SHARE);
        next.filter(|at| *at > now).min().unwrap_or(now + SHARE)
    }

    fn begin(self: &Arc<Self>, state: &mut State, client: Client) -> Turn {
        let number = state.number();
        let since = Instant::now();
        state.served.retain(|(served, _)| *served != client);
        state.served.push_back((client, number));
        if state.served.len() > MAX_SERVED {
            state.served.pop_front();
        }
        state.jobs.push(Job { number, client, since, stop: None, giving_way: false });
        Turn { queue: Arc::clone(self), number }
    }

    /// Ends a job and calls the next: the client that holds least, of those the one that was served
    /// longest ago, and of its requests the first.
    fn end(self: &Arc<Self>, number: u64) {
        let mut state = self.lock();
        state.jobs.retain(|job| job.number != number);
        while state.jobs.len() < self.all {
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
            let turn = self.begin(&mut state, client);
            // Whoever has gone does not take it. Giving it back here would wait for the lock.
            if let Err(turn) = called.send(turn) {
                let number = turn.number;
                std::mem::forget(turn);
                state.jobs.retain(|job| job.number != number);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with the lock")
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The number of the client's last job; 0 if it had none lately.
    fn served(&self, client: Client) -> u64 {
        let last = self.served.iter().find(|(served, _)| *served == client);
        last.map_or(0, |(_, number)| *number)
    }

    fn held(&self, client: Client) -> usize {
        self.jobs.iter().filter(|job| job.client == client).count()
    }
}

impl Turn {
    /// From now on the job can give way by this switch.
    pub(crate) fn can_stop(&self, stop: &Arc<AtomicBool>) {
        let mut state = self.queue.lock();
        if let Some(job) = state.jobs.iter_mut().find(|job| job.number == self.number) {
            job.stop = Some(Arc::clone(stop));
        }
    }
}

impl Drop for Turn {
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
    async fn those_who_hold_least_come_first() {
        let queue = Queue::new(2);
        let (one, two) =
            (queue.take(client(1)).await.unwrap(), queue.take(client(1)).await.unwrap());
        assert_eq!(queue.busy(), 2);
        let wait = |number| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.take(client(number)).await })
        };
        let greedy = wait(1);
        tokio::task::yield_now().await;
        let modest = wait(2);
        tokio::task::yield_now().await;
        drop(one);
        // Who came later but holds nothing is called.
        let turn = modest.await.unwrap().unwrap();
        assert!(!greedy.is_finished());
        drop(two);
        greedy.await.unwrap().unwrap();
        drop(turn);
        assert_eq!(queue.busy(), 0);
    }

    #[tokio::test]
    async fn nobody_works_for_ever_while_others_wait() {
        let queue = Queue::new(1);
        let stop = Arc::<AtomicBool>::default();
        let turn = queue.take(client(1)).await.unwrap();
        turn.can_stop(&stop);
        let started = Instant::now();
        let worker = tokio::spawn({
            let stop = Arc::clone(&stop);
            async move {
                while !stop.load(Relaxed) {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                drop(turn);
            }
        });
        assert!(!stop.load(Relaxed), "alone, it works on");
        queue.take(client(2)).await.unwrap();
        assert!(started.elapsed() >= SHARE, "a share is a share");
        worker.await.unwrap();
    }

    #[tokio::test]
    async fn patience_and_the_crowd_have_an_end() {
        let queue = Queue::new(1);
        // This job cannot give way.
        let _turn = queue.take(client(1)).await.unwrap();
        let wait = || {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.take(client(2)).await.map(drop) })
        };
        let waiting: Vec<_> = (0..MOST_WAITING).map(|_| wait()).collect();
        for _ in 0..MOST_WAITING {
            tokio::task::yield_now().await;
        }
        // One client cannot fill the queue: the next is refused at once, not after its patience.
        let next = timeout(PATIENCE / 2, queue.take(client(2))).await.expect("no wait");
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
