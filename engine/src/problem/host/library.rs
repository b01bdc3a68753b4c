//! Shared libraries, which are loaded into this process.

use super::{Described, Host, Instance, Opened, OperatorInstance};
use crate::problem::boundary::{self, Calls};
use crate::problem::declared::Declared;
use crate::problem::declared_operator::DeclaredOperator;
use crate::problem::parameter::Value;
use crate::problem::{Description, Permitted, PluginError};

/// Host of a library, with its functions.
pub(super) struct LibraryHost(pub Calls);

/// Opens a file with the suffix of shared libraries on this platform; `None` for other files.
pub(super) fn open(permitted: &Permitted) -> Option<Result<Opened, PluginError>> {
    permitted.is_library().then(|| {
        let (declared, calls) = boundary::open(permitted)?;
        Ok(Opened { declared, host: Box::new(LibraryHost(calls)), hash: None })
    })
}

impl Host for LibraryHost {
    fn create(
        &self,
        plugin: &Declared,
        values: &[Value],
    ) -> Result<(Box<dyn Instance>, Described), PluginError> {
        let calls = self.0.problem.as_ref().expect("checked: there is a problem");
        let (instance, described) = boundary::Instance::create(plugin, calls, values)?;
        Ok((Box::new(instance), described))
    }

    fn create_operator(
        &self,
        declared: &DeclaredOperator,
        place: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<Box<dyn OperatorInstance>, String> {
        let calls = &self.0.operators[place];
        let operator = boundary::OperatorInstance::create(declared, calls, values, problem)?;
        Ok(Box::new(operator))
    }
}
