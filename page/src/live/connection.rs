//! The connection of a process to its page: orders come in, and frames go out.

use super::frame::Frame;
use super::order::Order;
use crate::run::{Inbox, send};
use crate::system::interrupt::Interrupt;
use std::io;
use std::os::unix::net::UnixStream;

/// Destination of frames.
pub(super) struct Outbound {
    pub stream: UnixStream,
    pub stamp: u64,
}

impl Outbound {
    /// Sends a frame.
    pub(super) fn send(&mut self, frame: &Frame) -> io::Result<()> {
        send(&mut self.stream, self.stamp, frame)
    }
}

/// Orders that follow the first, as they come; after the last, the interrupt is raised.
pub(super) struct Inbound {
    pub stream: UnixStream,
    pub inbox: Inbox,
}

impl Inbound {
    /// Waits for the next order.
    pub(super) fn receive(&mut self) -> io::Result<Order> {
        self.inbox.receive(&mut self.stream, None).map(|(_, order)| order)
    }

    /// Hands orders on, in a thread that is there until the process ends.
    pub(super) fn follow(
        mut self,
        interrupt: Interrupt,
        mut take: impl FnMut(&Order) + Send + 'static,
    ) -> io::Result<()> {
        let body = move || {
            while let Ok(order) = self.receive() {
                take(&order);
            }
            interrupt.raise();
        };
        std::thread::Builder::new().name("orders".to_owned()).spawn(body).map(|_| ())
    }
}
