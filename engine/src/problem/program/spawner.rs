//! The thread that starts programs.
//!
//! A program is told to end when the thread that started it ends (Linux tells threads, not
//! processes, of a parent's end). Workers come and go; this thread stays as long as the process.

use std::io;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;

type Order = (Command, Sender<io::Result<Child>>);

static ORDERS: OnceLock<Option<Sender<Order>>> = OnceLock::new();

/// Starts a program.
///
/// # Errors
/// The system's.
pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    let Some(orders) = ORDERS.get_or_init(start) else {
        // No thread can be had: an end of this process then shows in the pipes alone.
        return command.spawn();
    };
    let (sender, answer) = channel();
    let gone = || io::Error::other("the thread that starts programs has ended");
    orders.send((command, sender)).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

fn start() -> Option<Sender<Order>> {
    let (sender, orders) = channel::<Order>();
    let work = move || {
        for (mut command, answer) in orders {
            _ = answer.send(command.spawn());
        }
    };
    thread::Builder::new().name("spawner".to_owned()).spawn(work).ok()?;
    Some(sender)
}
