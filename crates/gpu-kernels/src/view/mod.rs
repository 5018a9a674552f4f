//! The kernels' view of the fields: the argument block that every launch passes, and the C++ headers over it.
//!
//! One argument block serves the CPU, the generic and the specialised kernels: an array of 8-byte slots, each a count, a
//! pointer, a stride or an offset. [`slot_names`] gives their order; the generated headers name them. A generic header reads
//! everything from the block; a specialised one holds sizes and topology as constants and still takes values, offsets of
//! capacity-dependent arrays and pointers from the block, so that editing a value never recompiles.

mod header;
mod slots;

pub use header::{Baked, BlockCopy, generic_header, specialised_header};
pub use slots::{ArgumentBlock, CONTROL, Control, SLOT_COUNT, Slot, slot_index, slot_names};
