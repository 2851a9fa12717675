//! The server without a port.

use std::net::Ipv4Addr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use tokio::runtime::Runtime;

use crate::config::{Config, ServeError};
use crate::router::router;
use crate::state::Server;

/// A server that is asked directly, one question at a time: for tests, and for programs that have
/// their own way to the outside.
#[derive(Debug)]
pub struct Direct {
    runtime: Runtime,
    router: TowerToHyperService<Router>,
}

impl Direct {
    /// A server without a port.
    pub fn new(config: &Config) -> Result<Direct, ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ServeError::Threads)?;
        let router =
            TowerToHyperService::new(router(Server::new(config, Ipv4Addr::LOCALHOST.into())));
        Ok(Direct { runtime, router })
    }

    /// The status and the body of the answer; `None` if this is no address. Where the answer is a
    /// stream of events, it is all of them.
    ///
    /// # Panics
    /// If the answer is no text: no path has such a one.
    pub fn get(&self, address: &str) -> Option<(u16, String)> {
        let request = Request::builder().uri(address).body(Body::empty()).ok()?;
        self.runtime.block_on(async {
            let answer = self.router.call(request).await.unwrap_or_else(|never| match never {});
            let status = answer.status().as_u16();
            let body = to_bytes(answer.into_body(), usize::MAX).await.expect("a body in memory");
            Some((status, String::from_utf8(body.to_vec()).expect("a text")))
        })
    }
}
