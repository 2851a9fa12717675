//! How a game reaches a client.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sowing_rules::Position;
use tokio::sync::{mpsc, oneshot};

/// What a game wants of a client.
#[allow(clippy::large_enum_variant, reason = "there are few of them")]
pub(super) enum Order {
    Begin {
        number: u64,
        opponent: String,
    },
    Query {
        position: Position,
        time: Duration,
        clocks: Option<(Duration, Duration)>,
        answer: oneshot::Sender<Answer>,
    },
    End {
        result: String,
    },
}

/// A client's move.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The house, as it said; nothing if it said nothing.
    pub(crate) house: Option<u64>,
    /// Whether it said that this was all.
    pub(crate) yielded: bool,
}

/// How others reach a client.
pub(crate) struct Handle {
    pub(super) orders: mpsc::UnboundedSender<Order>,
    pub(super) name: Arc<Mutex<String>>,
}

impl Handle {
    pub(crate) fn name(&self) -> String {
        self.name.lock().expect("nobody panics with a name").clone()
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.orders.is_closed()
    }

    pub(crate) fn begin(&self, number: u64, opponent: &str) {
        let opponent = opponent.to_string();
        let _ = self.orders.send(Order::Begin { number, opponent });
    }

    pub(crate) fn end(&self, result: &str) {
        let _ = self.orders.send(Order::End { result: result.to_string() });
    }

    /// A client's move, if it is still there.
    pub(crate) async fn ask(
        &self,
        position: Position,
        time: Duration,
        clocks: Option<(Duration, Duration)>,
    ) -> Option<Answer> {
        let (answer, answered) = oneshot::channel();
        let _ = self.orders.send(Order::Query { position, time, clocks, answer });
        answered.await.ok()
    }
}
