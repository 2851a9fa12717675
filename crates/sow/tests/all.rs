//! All integration tests of the crate: one program, linked once.

mod books;
mod commands;
mod data;
mod documents;
mod engines;
mod false_tables;
mod figures;
mod hostile;
mod lab;
mod latex;
#[cfg(unix)]
mod measured;
mod one_form;
mod play;
mod promises;
mod serve;
mod server;
mod site;
mod sizes;
mod solitaire;
mod store;
mod tables;
mod teletype;
mod tool;
mod tutorial;
