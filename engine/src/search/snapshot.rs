//! Snapshots of a running trial, from which it goes on.
//!
//! One method of each part both writes and reads: [`save_or_restore`](Snapshot::save_or_restore)
//! writes a value to a snapshot that is taken, and replaces the value from a snapshot that is read.
//! So both always have the same values in the same order.

use crate::problem::{Gene, Genomes};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::mem::take;

/// State of a trial at the end of a generation, which is either taken or read.
pub(super) struct Snapshot<'bytes> {
    form: Form<'bytes>,
    /// Whether a value could not be written or read.
    is_broken: bool,
}

enum Form<'bytes> {
    Taken(Vec<u8>),
    /// Bytes that are not read yet.
    Read(&'bytes [u8]),
}

impl<'bytes> Snapshot<'bytes> {
    /// Begins a snapshot to which values are written.
    pub(super) fn take() -> Self {
        Snapshot { form: Form::Taken(Vec::new()), is_broken: false }
    }

    /// Opens a snapshot from which values are read.
    pub(super) fn read(bytes: &'bytes [u8]) -> Self {
        Snapshot { form: Form::Read(bytes), is_broken: false }
    }

    /// Returns whether values are read.
    pub(super) fn is_read(&self) -> bool {
        matches!(self.form, Form::Read(_))
    }

    /// Writes a value, or replaces it by the one that is read.
    pub(super) fn save_or_restore<T: Serialize + DeserializeOwned>(&mut self, value: &mut T) {
        if let Some(read) = self.write_or_read(&*value) {
            *value = read;
        }
    }

    /// Writes genomes, or replaces them by those that are read.
    pub(super) fn save_or_restore_genomes<G: Gene>(&mut self, genomes: &mut Genomes) {
        if let Some(genes) = self.write_or_read::<[G], Vec<G>>(genomes.genes()) {
            genomes.resize::<G>(genes.len());
            genomes.genes_mut().copy_from_slice(&genes);
        }
    }

    /// Writes a value, or returns the one that is read: `None` if the snapshot is taken or broken.
    pub(super) fn write_or_read<T, R>(&mut self, value: &T) -> Option<R>
    where
        T: Serialize + ?Sized,
        R: DeserializeOwned,
    {
        if self.is_broken {
            return None;
        }
        let read = match &mut self.form {
            Form::Taken(bytes) => postcard::to_extend(value, take(bytes)).map(|all| {
                *bytes = all;
                None
            }),
            Form::Read(bytes) => postcard::take_from_bytes(bytes).map(|(read, rest)| {
                *bytes = rest;
                Some(read)
            }),
        };
        self.is_broken = read.is_err();
        read.ok().flatten()
    }

    /// Marks the snapshot as one from which no trial can go on.
    pub(super) fn refuse(&mut self) {
        self.is_broken = true;
    }

    /// Returns the bytes of a snapshot that was taken; `None` if no trial can go on from it.
    pub(super) fn into_bytes(self) -> Option<Vec<u8>> {
        match self.form {
            Form::Taken(bytes) if !self.is_broken => Some(bytes),
            _ => None,
        }
    }

    /// Returns whether all values of a snapshot were read.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_broken && matches!(self.form, Form::Read([]))
    }
}
