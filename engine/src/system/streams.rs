//! Streams: standard output and standard error as they were when the program started.
//!
//! Plugins share the program's descriptors. A plugin may redirect standard output or close it. So
//! the program prints to its own duplicates, which it takes before a plugin is loaded. Their
//! numbers are above those that loops close and that new files get. Programs that a plugin starts
//! do not inherit the duplicates.

#[cfg(unix)]
use std::{fs::File, sync::OnceLock};

/// Stream that the program prints to. Neither stream has a lock, and standard error has no buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// Duplicates of both streams; `None` if a stream could not be duplicated.
#[cfg(unix)]
static KEPT: OnceLock<[Option<File>; 2]> = OnceLock::new();

/// Takes the duplicates, to which all later output goes. Must be called before a plugin is loaded.
/// If a stream cannot be duplicated, output goes to the stream itself.
pub fn keep() {
    // Colours are detected once, from the streams themselves, before a plugin redirects them.
    _ = (console::colors_enabled(), console::colors_enabled_stderr());
    #[cfg(unix)]
    if KEPT.set([duplicate(rustix::stdio::stdout()), duplicate(rustix::stdio::stderr())]).is_ok() {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // The usual message goes to descriptor 2, which a plugin may have redirected.
            if let Some(kept) = Stream::Error.kept() {
                _ = rustix::stdio::dup2_stderr(kept);
            }
            usual(panic);
        }));
    }
}

/// Leads what others print to standard output to standard error from now on, so that it does not
/// appear among results. Does nothing where the program has no duplicates.
#[cfg(unix)]
pub fn divert_output() {
    if let (Some(_), Some(error)) = (Stream::Output.kept(), Stream::Error.kept()) {
        // If it fails, the output stays where it is.
        _ = rustix::stdio::dup2_stdout(error);
    }
}

#[cfg(not(unix))]
pub fn divert_output() {}

#[cfg(unix)]
fn duplicate(stream: impl std::os::fd::AsFd) -> Option<File> {
    /// Least descriptor numbers to try; the next one is used if the system has none so high.
    const NUMBERS: [i32; 4] = [600, 200, 60, 3];
    let at = |number: &i32| rustix::io::fcntl_dupfd_cloexec(&stream, *number).ok();
    NUMBERS.iter().find_map(at).map(File::from)
}

#[cfg(unix)]
mod unix {
    use super::{KEPT, Stream};
    use std::fs::File;
    use std::io::{self, Write};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::process::Stdio;

    impl Stream {
        pub(super) fn kept(self) -> Option<&'static File> {
            KEPT.get()?[self as usize].as_ref()
        }

        fn descriptor(self) -> BorrowedFd<'static> {
            match (self.kept(), self) {
                (Some(kept), _) => kept.as_fd(),
                (None, Stream::Output) => rustix::stdio::stdout(),
                (None, Stream::Error) => rustix::stdio::stderr(),
            }
        }

        /// Returns whether the stream leads to a terminal.
        #[must_use]
        pub fn is_terminal(self) -> bool {
            rustix::termios::isatty(self.descriptor())
        }

        /// Returns rows and columns of the terminal that the stream leads to, both at least 1.
        /// `None` if it leads to no terminal, or to one that does not report its size.
        #[must_use]
        pub fn size(self) -> Option<(u16, u16)> {
            let size = rustix::termios::tcgetwinsize(self.descriptor()).ok()?;
            (size.ws_row > 0 && size.ws_col > 0).then_some((size.ws_row, size.ws_col))
        }
    }

    impl Stream {
        /// Returns the stream for a program that is to print to it.
        ///
        /// # Errors
        /// Returns an error if there is no descriptor for it.
        pub fn stdio(self) -> io::Result<Stdio> {
            self.descriptor().try_clone_to_owned().map(Stdio::from)
        }
    }

    impl Write for Stream {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.kept() {
                Some(mut kept) => kept.write(bytes),
                None => Ok(rustix::io::write(self.descriptor(), bytes)?),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use super::Stream;
    use console::Term;
    use std::io::{self, IsTerminal, Write};

    impl Stream {
        /// Returns whether the stream leads to a terminal.
        #[must_use]
        pub fn is_terminal(self) -> bool {
            match self {
                Stream::Output => io::stdout().is_terminal(),
                Stream::Error => io::stderr().is_terminal(),
            }
        }

        /// Returns rows and columns of the terminal that the stream leads to, both at least 1.
        /// `None` if it leads to no terminal, or to one that does not report its size.
        #[must_use]
        pub fn size(self) -> Option<(u16, u16)> {
            match self {
                Stream::Output => Term::stdout().size_checked(),
                Stream::Error => Term::stderr().size_checked(),
            }
        }
    }

    impl Write for Stream {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self {
                Stream::Output => io::stdout().write(bytes),
                Stream::Error => io::stderr().write(bytes),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            match self {
                Stream::Output => io::stdout().flush(),
                Stream::Error => Ok(()),
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::system::output;
    use std::process::{Command, Stdio};

    /// Environment variable that marks the program under test.
    const LOOKED_AT: &str = "RUNNER_TEST_STREAMS";

    /// Runs a program that prints after its streams were redirected, and then panics.
    #[test]
    fn what_is_printed_goes_where_the_program_was_told_to_print() {
        if std::env::var_os(LOOKED_AT).is_some() {
            keep();
            let elsewhere = File::create("/dev/null").expect("it is there");
            rustix::stdio::dup2_stdout(&elsewhere).expect("a descriptor");
            rustix::stdio::dup2_stderr(&elsewhere).expect("a descriptor");
            output::put("a result");
            output::tell("a message\n");
            output::finish().expect("a pipe");
            panic!("the last words");
        }
        let mut program = Command::new(std::env::current_exe().expect("this program"));
        let name =
            "system::streams::tests::what_is_printed_goes_where_the_program_was_told_to_print";
        program.args(["--exact", name, "--nocapture"]).env(LOOKED_AT, "1").stdin(Stdio::null());
        let ended = program.output().expect("it starts");
        let (out, err) =
            (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert!(out.contains("a result"), "{out}\n---\n{err}");
        for words in ["a message\n", "the last words"] {
            assert!(err.contains(words), "{words}: {out}\n---\n{err}");
        }
    }

    #[test]
    fn a_duplicate_is_out_of_the_way_of_others() {
        use std::os::fd::AsRawFd;
        let file = tempfile::tempfile().expect("a file");
        let own = duplicate(&file).expect("a descriptor");
        assert!(own.as_raw_fd() >= 60, "{own:?}");
        let flags = rustix::io::fcntl_getfd(&own).expect("its flags");
        assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
    }
}
