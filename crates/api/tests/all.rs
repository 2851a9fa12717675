//! All integration tests in one program.

mod document;
mod routes;
