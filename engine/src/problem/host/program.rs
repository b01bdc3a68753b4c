//! Programs, which run in separate processes and receive requests through pipes.

use super::{Described, Host, Instance, Opened, OperatorInstance};
use crate::problem::declared::Declared;
use crate::problem::declared_operator::DeclaredOperator;
use crate::problem::parameter::Value;
use crate::problem::program::{self, Program};
use crate::problem::{Description, Permitted, PluginError};
use std::sync::Arc;
use std::time::Duration;

/// Opens any file; a file that cannot be started results in an error.
pub(super) fn open(permitted: &Permitted) -> Option<Result<Opened, PluginError>> {
    Some(Program::open(permitted).map(|(declared, program)| {
        let hash = Some(program.hash());
        Opened { declared, host: Box::new(Arc::new(program)), hash }
    }))
}

impl Host for Arc<Program> {
    fn create(
        &self,
        plugin: &Declared,
        values: &[Value],
    ) -> Result<(Box<dyn Instance>, Described), PluginError> {
        let (instance, described) = program::Instance::create(plugin, self, values)?;
        Ok((Box::new(instance), described))
    }

    fn create_operator(
        &self,
        declared: &DeclaredOperator,
        _place: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<Box<dyn OperatorInstance>, String> {
        Ok(Box::new(program::Instance::operator(self, declared, values, problem)?))
    }

    fn is_program(&self) -> bool {
        true
    }

    fn blocks(&self) -> Option<u64> {
        Program::blocks(self)
    }

    fn ask_row_by_row(&self, is_on: bool) {
        Program::ask_row_by_row(self, is_on);
    }

    fn is_silent(&self, patience: Duration) -> Result<(), String> {
        Program::is_silent(self, patience)
    }
}
