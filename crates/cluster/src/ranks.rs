//! The processes that work together, and how they agree.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use mpi::topology::{Communicator, SimpleCommunicator};

use crate::counter::Counter;

/// How long somebody who waits sleeps between two looks: short at first, then longer, since others may
/// want the core.
#[derive(Clone, Copy)]
struct Nap(Duration);

impl Nap {
    fn new() -> Nap {
        Nap(Duration::from_micros(20))
    }

    fn next(&mut self) -> Duration {
        let now = self.0;
        self.0 = (2 * now).min(Duration::from_millis(2));
        now
    }
}

/// No list of pieces is as long as this; and if every rank adds it once, it is still no overflow.
const NOTHING_LEFT: u64 = 1 << 40;

/// All ranks of a run. Only the thread that made it talks to others.
pub(crate) struct Ranks {
    world: SimpleCommunicator,
    rank: i32,
    size: i32,
}

/// Where a failure that all ranks know of came from, and what it was.
pub(crate) type Agreed<T> = Result<T, String>;

impl Ranks {
    pub(crate) fn new(world: SimpleCommunicator) -> Ranks {
        let (rank, size) = (world.rank(), world.size());
        Ranks { world, rank, size }
    }

    pub(crate) fn rank(&self) -> usize {
        self.rank as usize
    }

    pub(crate) fn size(&self) -> usize {
        self.size as usize
    }

    pub(crate) fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// The ranks on the same machine.
    pub(crate) fn beside(&self) -> usize {
        self.world.split_shared(self.rank).size() as usize
    }

    /// Lets MPI go on with what others want of this rank.
    pub(crate) fn answer(&self) {
        let _ = self.world.any_process().immediate_probe();
    }

    /// Waits for all ranks, without keeping a core busy as a plain barrier would.
    pub(crate) fn meet(&self) {
        self.meet_looking(&mut || Ok(())).expect("there is nothing to see");
    }

    /// The same, with a look around now and then.
    fn meet_looking(&self, look: &mut impl FnMut() -> Result<(), String>) -> Result<(), String> {
        let (mut request, mut seen) = (self.world.immediate_barrier(), Ok(()));
        let mut nap = Nap::new();
        loop {
            match request.test() {
                Ok(_) => return seen,
                Err(waiting) => request = waiting,
            }
            // Whatever was seen, others may wait for their results to be taken.
            let now = look();
            seen = seen.and(now);
            std::thread::sleep(nap.next());
        }
    }

    /// What each rank has to say, in order of ranks.
    pub(crate) fn gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.meet();
        let mut lengths = vec![0_u64; self.size()];
        self.world.all_gather_into(&(own.len() as u64), &mut lengths[..]);
        let longest = lengths.iter().copied().max().unwrap_or(0) as usize;
        if longest == 0 {
            return vec![Vec::new(); self.size()];
        }
        let mut padded = own.to_vec();
        padded.resize(longest, 0);
        let mut all = vec![0_u8; longest * self.size()];
        self.world.all_gather_into(&padded[..], &mut all[..]);
        let texts = all.chunks(longest).zip(lengths);
        texts.map(|(text, length)| text[..length as usize].to_vec()).collect()
    }

    /// What all ranks have, added up.
    pub(crate) fn sum(&self, own: u64) -> u64 {
        self.meet();
        let mut all = 0;
        self.world.all_reduce_into(&own, &mut all, SystemOperation::sum());
        all
    }

    /// What rank 0 has.
    pub(crate) fn told_by_first(&self, own: u64) -> u64 {
        self.meet();
        let mut number = own;
        self.world.process_at_rank(0).broadcast_into(&mut number);
        number
    }

    /// What was done, if it went well on all ranks; else what went wrong on the first of those where
    /// it did not. All ranks must ask.
    pub(crate) fn agree<T, E: ToString>(&self, done: Result<T, E>) -> Agreed<T> {
        let message = match &done {
            Ok(_) => Vec::new(),
            Err(error) => {
                let text = error.to_string();
                if text.is_empty() { b"failed".to_vec() } else { text.into_bytes() }
            }
        };
        let said = self.gather(&message);
        match (said.iter().position(|message| !message.is_empty()), done) {
            (None, Ok(done)) => Ok(done),
            (Some(rank), _) => {
                let text = String::from_utf8_lossy(&said[rank]);
                Err(if self.size == 1 { text.into() } else { format!("rank {rank}: {text}") })
            }
            (None, Err(error)) => Err(error.to_string()),
        }
    }

    /// The same of something that rank 0 alone did: the others hand in nothing.
    pub(crate) fn agree_on_first<T, E: ToString>(&self, done: Result<T, E>) -> Agreed<T> {
        self.agree(done).map_err(|text| match text.strip_prefix("rank 0: ") {
            Some(text) => text.to_string(),
            None => text,
        })
    }

    /// Hands out pieces of work to threads of all ranks until there are none left or something fails.
    /// `piece` gives the one with a number, the numbers growing. The main thread of each rank gives
    /// its threads work, takes their results, answers others, and has a look around.
    pub(crate) fn hand_out<P: Send, T: Send>(
        &self,
        mut piece: impl FnMut(u64) -> Option<P>,
        threads: usize,
        work: impl Fn(P) -> Result<T, String> + Sync,
        mut take: impl FnMut(T) -> Result<(), String>,
        mut look: impl FnMut() -> Result<(), String>,
    ) -> Agreed<()> {
        let counter = Counter::new(&self.world, self.rank);
        let made = self.agree(counter.as_ref().map(|_| ()).ok_or(
            "MPI has no one-sided operations over this network: with Open MPI, try mpirun --mca osc ^ucx",
        ));
        let counter = match (counter, made) {
            (Some(counter), Ok(())) => counter,
            (counter, made) => {
                // All ranks free it together or none does: some may have none.
                std::mem::forget(counter);
                return made;
            }
        };
        let done = std::thread::scope(|scope| {
            let (to_main, results) = channel();
            let mut workers: Vec<Sender<P>> = Vec::new();
            for worker in 0..threads {
                let (sender, receiver): (Sender<P>, Receiver<P>) = channel();
                let (to_main, work) = (to_main.clone(), &work);
                workers.push(sender);
                scope.spawn(move || {
                    for piece in receiver {
                        if to_main.send((worker, work(piece))).is_err() {
                            return;
                        }
                    }
                });
            }
            // When a rank fails there is nothing more to be had by anybody.
            let fail = |failure: &mut Option<String>, why: String| {
                if failure.is_none() {
                    counter.add(NOTHING_LEFT);
                    *failure = Some(why);
                }
            };
            let mut give = |worker: usize| {
                let given = Some(counter.add(1)).filter(|number| *number < NOTHING_LEFT);
                let Some(piece) = given.and_then(&mut piece) else { return 0 };
                workers[worker].send(piece).expect("the thread waits for it");
                1
            };
            let mut busy: usize = (0..threads).map(&mut give).sum();
            let (mut failure, mut nap) = (None, Nap::new());
            while busy > 0 {
                match results.recv_timeout(nap.next()) {
                    Ok((worker, result)) => {
                        nap = Nap::new();
                        busy -= 1;
                        match result.and_then(&mut take) {
                            Ok(()) if failure.is_none() => busy += give(worker),
                            Ok(()) => {}
                            Err(why) => fail(&mut failure, why),
                        }
                    }
                    Err(_) => self.answer(),
                }
                // Even then, since others may wait for their results to be taken.
                if let Err(why) = look() {
                    fail(&mut failure, why);
                }
            }
            failure.map_or(Ok(()), Err)
        });
        // Others may still send their results.
        let late = self.meet_looking(&mut look);
        let agreed = self.agree(done.and(late));
        drop(counter);
        agreed
    }

    /// Wakes all other ranks.
    pub(crate) fn wake(&self, tag: i32) {
        for rank in (0..self.size).filter(|rank| *rank != self.rank) {
            self.world.process_at_rank(rank).send_with_tag(&[0_u8][..], tag);
        }
    }

    /// Sends bytes to rank 0.
    pub(crate) fn send_to_first(&self, bytes: &[u8], tag: i32) {
        self.world.process_at_rank(0).send_with_tag(bytes, tag);
    }

    /// Bytes that some rank has sent, if there are any.
    pub(crate) fn receive(&self, tag: i32) -> Option<Vec<u8>> {
        let probed = self.world.any_process().immediate_matched_probe_with_tag(tag)?;
        let (bytes, _) = probed.matched_receive_vec();
        Some(bytes)
    }
}
