//! Buffers that are aligned to cache lines.

use bytemuck::{Pod, Zeroable};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// One cache line: the unit of allocation that aligns buffers.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Buffer of numbers, aligned to 64 bytes. Vectors of 64 bytes therefore do not cross cache lines.
#[derive(Clone)]
pub struct Aligned<T> {
    lines: Vec<Line>,
    length: usize,
    kind: PhantomData<T>,
}

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Aligned { lines: Vec::new(), length: 0, kind: PhantomData }
    }
}

impl<T: Pod> Aligned<T> {
    /// Creates a buffer of `length` zeros.
    #[must_use]
    pub fn new(length: usize) -> Self {
        let mut numbers = Aligned::default();
        numbers.resize(length);
        numbers
    }

    /// Resizes the buffer to `length` numbers and keeps those that fit. New numbers may have any
    /// value. Memory is allocated only if the buffer exceeds its largest length so far.
    #[inline]
    pub fn resize(&mut self, length: usize) {
        self.lines.resize((length * size_of::<T>()).div_ceil(64), Line::zeroed());
        self.length = length;
    }
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.length]
    }
}

impl<T: Pod> DerefMut for Aligned<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.length]
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Aligned<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_a_line_and_keep_their_values() {
        let mut numbers = Aligned::<u32>::new(17);
        numbers[..3].copy_from_slice(&[0, 1, 2]);
        for length in [17, 3, 40, 17, 1000] {
            numbers.resize(length);
            assert_eq!((numbers.len(), numbers.as_ptr() as usize % 64), (length, 0));
            assert_eq!(numbers[..3], [0, 1, 2]);
        }
        numbers[999] = 7;
        assert_eq!(numbers.clone().last(), Some(&7));
        assert!(Aligned::<f64>::new(9).iter().all(|number| *number == 0.0));
    }
}
