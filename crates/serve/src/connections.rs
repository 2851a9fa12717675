//! How many connections there may be, in all and per client, and which of them are closed when there is no room.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::activity::Activity;
use crate::config::Config;
use crate::queue::Client;

/// How long a connection may wait for its client when less than a quarter of all connections is free.
const CROWDED_PATIENCE: Duration = Duration::from_secs(1);

/// How often connections are looked through for those that wait for their clients.
const SWEEP_INTERVAL: Duration = Duration::from_millis(100);

/// How long a new connection waits for others to give way: longer than any of them may wait for its client.
const ENTRY: Duration = Duration::from_secs(2);

/// The connections of a server.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    most_per_client: usize,
    free: Arc<Semaphore>,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    activities: HashMap<u64, Arc<Activity>>,
    /// How many connections each client has, those included that wait for room.
    held: HashMap<Client, usize>,
    swept: Option<Instant>,
}

/// One of the connections that a client may have. It is given back when it goes.
#[derive(Debug)]
pub(crate) struct Share {
    connections: Arc<Connections>,
    client: Option<Client>,
}

/// One of all connections that there may be. It is given back when it goes.
#[derive(Debug)]
pub(crate) struct Place {
    share: Share,
    number: u64,
    pub(crate) activity: Arc<Activity>,
    _permit: OwnedSemaphorePermit,
}

impl Connections {
    pub(crate) fn new(config: &Config) -> Arc<Connections> {
        Arc::new(Connections {
            most: config.connections,
            most_per_client: config.most_per_address(),
            free: Arc::new(Semaphore::new(config.connections)),
            open: Mutex::default(),
        })
    }

    /// How many there may be.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// How many one client may have.
    pub(crate) fn most_per_client(&self) -> usize {
        self.most_per_client
    }

    /// How many there are.
    pub(crate) fn open(&self) -> usize {
        self.most.saturating_sub(self.free.available_permits())
    }

    /// Waits until there is none. None comes after it.
    pub(crate) async fn none_left(&self) {
        // It fails only once the semaphore is closed, which it never is.
        let _ = self.free.acquire_many(self.most as u32).await;
    }

    /// A share for a client, unless it has as many as it may have. `None` stands for a client without a limit.
    pub(crate) fn share(self: &Arc<Self>, client: Option<Client>) -> Option<Share> {
        if let Some(client) = client {
            let mut open = self.lock();
            let held = open.held.entry(client).or_default();
            if *held >= self.most_per_client {
                return None;
            }
            *held += 1;
        }
        Some(Share { connections: Arc::clone(self), client })
    }

    /// Closes the connections that have waited too long for their clients. It does so ten times a second at
    /// most, and only where little room is left.
    fn sweep(&self) {
        if self.free.available_permits() * 4 >= self.most {
            return;
        }
        let mut open = self.lock();
        if open.swept.is_some_and(|swept| swept.elapsed() < SWEEP_INTERVAL) {
            return;
        }
        open.swept = Some(Instant::now());
        let is_late = |activity: &&Arc<Activity>| {
            activity.idle().is_some_and(|idle| idle >= CROWDED_PATIENCE)
        };
        open.activities.values().filter(is_late).for_each(|activity| activity.close());
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().expect("no holder of the lock panics")
    }
}

impl Share {
    /// A place, if there is one now.
    pub(crate) fn enter(self) -> Result<Place, Share> {
        self.connections.sweep();
        match Arc::clone(&self.connections.free).try_acquire_owned() {
            Ok(permit) => Ok(self.take(permit)),
            Err(_) => Err(self),
        }
    }

    /// A place, once another connection ends or gives way.
    pub(crate) async fn wait(self) -> Option<Place> {
        let connections = Arc::clone(&self.connections);
        let mut free = pin!(Arc::clone(&connections.free).acquire_owned());
        let permit = timeout(ENTRY, async {
            loop {
                connections.sweep();
                tokio::select! {
                    permit = &mut free => break permit.ok(),
                    () = sleep(SWEEP_INTERVAL) => {}
                }
            }
        });
        let permit = permit.await.ok().flatten()?;
        Some(self.take(permit))
    }

    fn take(self, permit: OwnedSemaphorePermit) -> Place {
        let activity = Activity::new();
        let mut open = self.connections.lock();
        let number = open.next;
        open.next += 1;
        open.activities.insert(number, Arc::clone(&activity));
        drop(open);
        Place { share: self, number, activity, _permit: permit }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let Some(client) = self.client else { return };
        let mut open = self.connections.lock();
        if let Some(held) = open.held.get_mut(&client) {
            *held -= 1;
            if *held == 0 {
                open.held.remove(&client);
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.share.connections.lock().activities.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(most: usize) -> Arc<Connections> {
        Connections::new(&Config { connections: most, ..Config::default() })
    }

    fn client(number: u8) -> Option<Client> {
        Some(Client::new([192, 0, 2, number].into()))
    }

    #[test]
    fn a_client_has_half_at_most() {
        let connections = connections(8);
        let enter = |client| connections.share(client).map(|share| share.enter().ok().is_some());
        let held: Vec<_> =
            (0..4).map(|_| connections.share(client(1)).unwrap().enter().unwrap()).collect();
        assert!(connections.share(client(1)).is_none());
        assert_eq!(enter(client(2)), Some(true));
        assert_eq!(enter(None), Some(true), "a proxy is not limited");
        assert_eq!(connections.open(), 4);
        drop(held);
        assert_eq!(enter(client(1)), Some(true));
        assert_eq!(connections.open(), 0);
        assert!(connections.lock().held.is_empty() && connections.lock().activities.is_empty());
    }

    #[tokio::test]
    async fn connections_that_answer_do_not_give_way() {
        let connections = connections(2);
        let idle = connections.share(client(1)).unwrap().enter().unwrap();
        let busy = connections.share(client(2)).unwrap().enter().unwrap();
        let answering = busy.activity.answer();
        let closes = tokio::spawn(async move {
            idle.activity.closed().await;
            drop(idle);
        });
        let share = connections.share(client(3)).unwrap().enter().unwrap_err();
        let third = share.wait().await.expect("the idle one gives way");
        closes.await.unwrap();
        let third_answers = third.activity.answer();
        assert!(connections.share(client(4)).unwrap().wait().await.is_none());
        drop((answering, third_answers));
        assert_eq!(connections.lock().held.len(), 2, "a refused client holds nothing");
    }
}
