//! Moves numbers between the kernels' memory and the caller's in pieces.
//!
//! Promises that no copy of the batch is made beside the caller's own: a batch that fills the host's memory can still be
//! read, written and hashed.
use crate::SimError;
use crate::state_arena::to_bytes;
use phalanx_gpu_kernels::executor::Memory;

/// Bytes of a piece: long enough for a GPU's bus, and nothing beside a batch that is worth the trouble.
const PIECE_BYTES: usize = 4 << 20;

/// Where the numbers of a field lie; without memory they are zero.
pub(crate) struct Source<'a> {
    pub(crate) memory: Option<&'a Memory>,
    /// Bytes before the first number.
    pub(crate) offset: usize,
    /// Bytes of all numbers.
    pub(crate) bytes: usize,
}

impl Source<'_> {
    /// Hands all bytes to `f`, in order, in pieces of whole `row`s.
    pub(crate) fn in_pieces(&self, row: usize, mut f: impl FnMut(&[u8])) -> Result<(), SimError> {
        let piece = rows_of_a_piece(row) * row.max(1);
        let mut bytes = vec![0; piece.min(self.bytes)];
        for start in (0..self.bytes).step_by(piece) {
            let length = piece.min(self.bytes - start);
            self.read(start, &mut bytes[..length])?;
            f(&bytes[..length]);
        }
        Ok(())
    }

    /// Reads what lies `start` bytes from the first number.
    pub(crate) fn read(&self, start: usize, bytes: &mut [u8]) -> Result<(), SimError> {
        match self.memory {
            Some(memory) => memory.read(self.offset + start, bytes)?,
            None => bytes.fill(0),
        }
        Ok(())
    }
}

/// How many rows of so many bytes make a piece; one at least.
pub(crate) fn rows_of_a_piece(row: usize) -> usize {
    (PIECE_BYTES / row.max(1)).max(1)
}

/// Writes numbers in the build's precision, from `offset` on.
pub(crate) fn write_numbers(
    memory: &mut Memory,
    mut offset: usize,
    values: &[f64],
    real_bytes: usize,
) -> Result<(), SimError> {
    for piece in values.chunks(PIECE_BYTES / real_bytes) {
        memory.write(offset, &to_bytes(piece, real_bytes))?;
        offset += piece.len() * real_bytes;
    }
    Ok(())
}

/// Writes one row `count` times, from `offset` on.
pub(crate) fn write_alike(
    memory: &mut Memory,
    mut offset: usize,
    row: &[u8],
    mut count: usize,
) -> Result<(), SimError> {
    let piece = row.repeat(rows_of_a_piece(row.len()).min(count));
    while count > 0 && !row.is_empty() {
        let rows = count.min(piece.len() / row.len());
        memory.write(offset, &piece[..rows * row.len()])?;
        (offset, count) = (offset + rows * row.len(), count - rows);
    }
    Ok(())
}
