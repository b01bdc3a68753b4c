//! Interrupts: Ctrl-C as a flag that the search looks at between generations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Lets a write beyond the limit on the size of files fail, like one on a full disk, instead of ending the process without a word.
///
/// # Errors
/// When the system refuses the signal handler.
pub fn outlive_file_limits() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        // Looked at by nobody: what matters is that there is a handler.
        let seen = Arc::<AtomicBool>::default();
        signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), seen)?;
    }
    Ok(())
}

/// A request to stop soon. Clones share the request.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    parent: Option<Arc<AtomicBool>>,
}

impl Interrupt {
    /// An interrupt that Ctrl-C, a hang-up and a termination request raise. The second one ends the process at once.
    ///
    /// # Errors
    /// When the system refuses the signal handler.
    pub fn on_signals() -> Result<Self, ctrlc::Error> {
        let interrupt = Interrupt::default();
        let raised = interrupt.clone();
        ctrlc::set_handler(move || {
            if raised.raised.swap(true, Ordering::SeqCst) {
                // What finished was saved within the last second; the terminal's owner insists.
                std::process::exit(i32::from(crate::exit::Exit::Interrupted.code()));
            }
        })?;
        Ok(interrupt)
    }

    pub fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
    }

    /// An interrupt of its own that this one raises too.
    #[must_use]
    pub fn child(&self) -> Self {
        Interrupt { raised: Arc::default(), parent: Some(Arc::clone(&self.raised)) }
    }

    #[must_use]
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.load(Ordering::Relaxed))
    }
}
