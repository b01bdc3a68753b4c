//! Hosts: the ways of running plugins, and the interface that they implement. A host is one file of
//! this folder and an entry in [`HOSTS`].

mod interface;
mod library;
mod linked;
#[cfg(unix)]
mod program;
mod rows;

pub(super) use interface::{
    Described, Host, Instance, Opened, OperatorInstance, SearchInstance, Variation, check_asked,
};
pub(super) use linked::linked;
pub(super) use rows::{Rows, RowsMut};

use super::{Permitted, PluginError};

/// Function that opens the plugin in a file; it returns `None` if the file is not for this host.
type Open = fn(&Permitted) -> Option<Result<Opened, PluginError>>;

/// Hosts, in the order in which they are tried.
const HOSTS: &[Open] = &[
    library::open,
    #[cfg(unix)]
    program::open,
];

/// Opens a plugin with the first host that supports its file.
pub(super) fn open(permitted: &Permitted) -> Result<Opened, PluginError> {
    HOSTS.iter().find_map(|open| open(permitted)).unwrap_or_else(|| {
        let message = "problems that are programs need a Unix system".to_owned();
        Err(PluginError::Program { path: permitted.path.clone(), message })
    })
}
