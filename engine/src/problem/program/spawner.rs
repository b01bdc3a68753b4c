//! The spawner: the thread that starts programs.
//!
//! A program is told to end when the thread that started it ends. Linux signals the end of the
//! parent thread, not of the parent process. Worker threads come and go; this thread lives as long
//! as the process.

use std::io;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;

type Order = (Command, Sender<io::Result<Child>>);

static ORDERS: OnceLock<Option<Sender<Order>>> = OnceLock::new();

/// Starts a program on the spawner thread.
pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    let Some(orders) = ORDERS.get_or_init(start) else {
        // The thread cannot be started. The program then notices the end of this process only by
        // its pipes.
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
