//! Reads what a cubin says about its kernels: registers, stack, shared memory, code size, argument bytes.
//!
//! So a plan made without a GPU rests on the compiler's own numbers. A cubin is a 64-bit ELF file; section
//! `.nv.info.KERNEL` and the common `.nv.info` hold records of the form (format u8, attribute u8, then a u16 or a u16
//! size followed by that many bytes). NVIDIA documents none of it; the tests compare every number with `ptxas -v` for
//! every architecture that NVRTC supports.

use object::LittleEndian as LE;
use object::elf::{FileHeader64, SHF_EXECINSTR};
use object::read::elf::{FileHeader as _, SectionHeader as _, Sym as _};
use serde::{Deserialize, Serialize};

use super::architecture::Architecture;
use super::error::CompileError;

/// What one kernel needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CubinKernel {
    /// The function's name, mangled unless `extern "C"`.
    pub name: String,
    /// Registers of each thread.
    pub registers: u32,
    /// Bytes of local memory (stack) of each thread, the functions that it calls included.
    pub local_bytes: u32,
    /// Bytes of shared memory that the source declares with a fixed size; without the bytes that CUDA reserves.
    pub static_shared_bytes: u32,
    /// The largest block, if the source says so with `__launch_bounds__`.
    pub max_threads_per_block: Option<u32>,
    /// Bytes of the kernel's arguments, from the first to the last.
    pub argument_bytes: u32,
    /// Bytes of machine code in the kernel's own section.
    pub code_bytes: u64,
}

/// What a cubin holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cubin {
    /// What it was compiled for.
    pub arch: Architecture,
    /// Its kernels, in the order of the file.
    pub kernels: Vec<CubinKernel>,
    /// Bytes of machine code of all kernels and functions.
    pub code_bytes: u64,
}

// Attributes of the records, as `cuobjdump -elf` names them (EIATTR_...).
const MAX_THREADS: u8 = 0x05;
const MIN_STACK_SIZE: u8 = 0x12;
const CBANK_PARAM_SIZE: u8 = 0x19;
const REGCOUNT: u8 = 0x2f;
/// From compute capability 9.0 on, the section of a kernel's shared memory starts with the bytes that CUDA reserves.
const RESERVED_SHARED_BYTES: u64 = 1024;
const FIRST_RESERVING: Architecture = Architecture(90);

impl Cubin {
    /// Reads the sections of a cubin.
    ///
    /// # Errors
    /// [`CompileError::BadCubin`] if it is no ELF file of a GPU, or a section lies outside the file.
    pub fn read(bytes: &[u8]) -> Result<Self, CompileError> {
        Self::read_elf(bytes).map_err(|error| CompileError::BadCubin { reason: error.to_string() })
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&CubinKernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    fn read_elf(data: &[u8]) -> Result<Self, object::read::Error> {
        let header = FileHeader64::<LE>::parse(data)?;
        let endian = header.endian()?;
        let flags = header.e_flags(endian);
        // Since version 8 of the ABI (CUDA 13) the architecture moved up by one byte; sm_75 kept version 7.
        let arch = Architecture(if header.e_ident().abi_version >= 8 { flags >> 8 & 0xffff } else { flags & 0xff });
        let sections = header.sections(endian, data)?;
        let symbols = sections.symbols(endian, data, object::elf::SHT_SYMTAB)?;
        let section = |name: &str| {
            let found = sections.section_by_name(endian, name.as_bytes());
            found.map(|(_, section)| section)
        };
        let common = match section(".nv.info") {
            Some(info) => records(info.data(endian, data)?),
            None => Vec::new(),
        };

        let mut cubin = Cubin { arch, kernels: Vec::new(), code_bytes: 0 };
        for text in sections.iter() {
            if text.sh_flags(endian) & u64::from(SHF_EXECINSTR) == 0 {
                continue;
            }
            cubin.code_bytes += text.sh_size(endian);
            let section_name = String::from_utf8_lossy(sections.section_name(endian, text)?).into_owned();
            let Some(name) = section_name.strip_prefix(".text.") else { continue };
            // Only kernels have constant bank 0, where the arguments lie.
            if section(&format!(".nv.constant0.{name}")).is_none() {
                continue;
            }
            let own = match section(&format!(".nv.info.{name}")) {
                Some(info) => records(info.data(endian, data)?),
                None => Vec::new(),
            };
            let mut index = None;
            for (i, symbol) in symbols.enumerate() {
                if symbol.st_type() == object::elf::STT_FUNC
                    && symbol.name(endian, symbols.strings())? == name.as_bytes()
                {
                    index = Some(i.0 as u32);
                }
            }
            // A record of the common section starts with the index of its function's symbol.
            let of_function = |attribute| {
                let mut values = common.iter().filter(|r| r.attribute == attribute && Some(r.word(0)) == index);
                values.next().map(|r| r.word(1))
            };
            let of_kernel = |attribute| own.iter().find(|r: &&Record| r.attribute == attribute);
            let shared = section(&format!(".nv.shared.{name}")).map_or(0, |shared| shared.sh_size(endian));
            let reserved = if arch >= FIRST_RESERVING { RESERVED_SHARED_BYTES } else { 0 };
            cubin.kernels.push(CubinKernel {
                name: name.into(),
                // Older cubins have the count in the section's header only.
                registers: of_function(REGCOUNT).unwrap_or_else(|| text.sh_info(endian) >> 24),
                local_bytes: of_function(MIN_STACK_SIZE).unwrap_or(0),
                static_shared_bytes: shared.saturating_sub(reserved) as u32,
                max_threads_per_block: of_kernel(MAX_THREADS)
                    .map(|r| (0..3).map(|i| r.word(i)).fold(1, u32::saturating_mul)),
                argument_bytes: of_kernel(CBANK_PARAM_SIZE).map_or(0, |r| r.word(0)),
                code_bytes: text.sh_size(endian),
            });
        }
        Ok(cubin)
    }
}

/// One record of an `.nv.info` section.
struct Record<'a> {
    attribute: u8,
    value: &'a [u8],
}

impl Record<'_> {
    /// The `i`th 32-bit word of the value; a 16-bit value is one word.
    fn word(&self, i: usize) -> u32 {
        let bytes = self.value.get(4 * i..).unwrap_or_default();
        bytes.iter().take(4).rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
    }
}

fn records(mut bytes: &[u8]) -> Vec<Record<'_>> {
    const WITH_SIZE: u8 = 4;
    let mut found = Vec::new();
    while let [format, attribute, low, high, rest @ ..] = bytes {
        let size = usize::from(u16::from_le_bytes([*low, *high]));
        let (value, next) = match *format {
            WITH_SIZE if size <= rest.len() => rest.split_at(size),
            WITH_SIZE => break,
            _ => (&bytes[2..4], rest),
        };
        found.push(Record { attribute: *attribute, value });
        bytes = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_cubin_are_an_error_and_never_a_panic() {
        for bytes in [&b""[..], b"\x7fELF", &[0x7f; 200], &[0; 4096]] {
            assert!(matches!(Cubin::read(bytes), Err(CompileError::BadCubin { .. })));
        }
    }

    #[test]
    fn records_are_read_to_the_end_of_a_broken_section() {
        let bytes = [4, 0x2f, 8, 0, 1, 0, 0, 0, 42, 0, 0, 0, 3, 0x19, 24, 0, 4, 5, 12, 0, 1];
        let found = records(&bytes);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].word(0), found[0].word(1)), (1, 42));
        assert_eq!((found[1].attribute, found[1].word(0)), (CBANK_PARAM_SIZE, 24));
    }
}
