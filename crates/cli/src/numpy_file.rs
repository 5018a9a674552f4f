//! Reads arrays from `.npy` and `.npz` files, with every fault named by file, array and index.
//!
//! The shape is judged before the numbers are read, so a header that promises a planet costs nothing.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use npyz::{DType, Deserialize, NpyFile, Order, TypeChar};
use zip::ZipArchive;

use crate::failure::Failure;

/// Numbers with their shape, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Rows, columns and so on; empty for one number.
    pub shape: Vec<u64>,
    /// The numbers.
    pub values: Vec<f64>,
}

/// Which numbers an array may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// float32 and float64.
    Floats,
    /// Floats, integers and bool.
    Any,
}

/// The largest header that is read, bytes. NumPy writes 118 for a plain array.
const MAX_HEADER_BYTES: u32 = 1024;

/// Reads a `.npy` file. `check` judges its shape and says what is wrong with it.
pub fn read_npy(
    path: &Path,
    numbers: Numbers,
    check: impl FnOnce(&[u64]) -> Result<(), String>,
) -> Result<Array, Failure> {
    let file = File::open(path).map_err(|error| Failure::file(path, error))?;
    read_array(BufReader::new(file), numbers, check).map_err(|what| Failure::file(path, what))
}

/// Reads every array of a `.npz` file, in the file's order. `check` is given each array's name and shape.
pub fn read_npz(
    path: &Path,
    numbers: Numbers,
    mut check: impl FnMut(&str, &[u64]) -> Result<(), String>,
) -> Result<Vec<(String, Array)>, Failure> {
    let file = File::open(path).map_err(|error| Failure::file(path, error))?;
    let no_npz = |error: &dyn std::fmt::Display| Failure::file(path, format!("is no .npz file: {error}"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| no_npz(&error))?;
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| no_npz(&error))?;
        let name = entry.name().map_err(|error| no_npz(&error))?.to_string();
        let name = name.strip_suffix(".npy").unwrap_or(&name).to_string();
        let array = read_array(BufReader::new(entry), numbers, |shape| check(&name, shape));
        arrays.push((name.clone(), array.map_err(|what| Failure::file(path, format!("{name} {what}")))?));
    }
    Ok(arrays)
}

/// A shape as NumPy writes it: `()`, `(3,)`, `(2, 3)`.
pub fn shape_text(shape: &[u64]) -> String {
    match shape {
        [n] => format!("({n},)"),
        _ => format!("({})", shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn read_array(
    reader: impl Read,
    numbers: Numbers,
    check: impl FnOnce(&[u64]) -> Result<(), String>,
) -> Result<Array, String> {
    let no_array = |error: std::io::Error| format!("is no NumPy array: {error}");
    let file = NpyFile::new(checked_header(reader)?).map_err(no_array)?;
    let shape = file.shape().to_vec();
    check(&shape)?;
    let fortran = file.order() == Order::Fortran;
    let mut values = read_numbers(file, numbers)?;
    if fortran {
        values = row_major(&shape, &values);
    }
    if let Some(index) = values.iter().position(|value| !value.is_finite()) {
        return Err(format!("is {} at {}; every number must be finite", values[index], index_text(&shape, index)));
    }
    Ok(Array { shape, values })
}

/// Refuses a header that no plain array has, before it is parsed: one that is too long, or whose sizes overflow.
fn checked_header(mut reader: impl Read) -> Result<impl Read, String> {
    // Six bytes of magic, two of version, then the header's length: two bytes in version 1, four since version 2.
    let mut start = Vec::new();
    let mut read = |start: &mut Vec<u8>, bytes: u32| {
        let read = reader.by_ref().take(bytes.into()).read_to_end(start);
        read.map_err(|error| format!("cannot be read: {error}"))
    };
    read(&mut start, 12)?;
    let length = match start[..] {
        [_, _, _, _, _, _, 1, _, a, b, ..] => u32::from(u16::from_le_bytes([a, b])),
        [_, _, _, _, _, _, _, _, a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    };
    if length > MAX_HEADER_BYTES {
        return Err(format!("is no plain NumPy array: its header takes {length} bytes"));
    }
    read(&mut start, length)?;
    let text = String::from_utf8_lossy(start.get(12..).unwrap_or_default()).into_owned();
    let sizes = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.trim_matches('0').is_empty());
    let product =
        sizes.map(|digits| digits.parse::<u64>().ok()).try_fold(1u64, |product, size| product.checked_mul(size?));
    if product.is_none() {
        return Err("has an impossible shape".into());
    }
    Ok(Cursor::new(start).chain(reader))
}

fn read_numbers(file: NpyFile<impl Read>, numbers: Numbers) -> Result<Vec<f64>, String> {
    let DType::Plain(kind) = file.dtype() else {
        return Err("holds records; write numbers".into());
    };
    let wanted = match numbers {
        Numbers::Floats => "float32 or float64",
        Numbers::Any => "float32, float64, integers or bool",
    };
    let floats_only = numbers == Numbers::Floats;
    match (kind.type_char(), kind.size_field()) {
        (TypeChar::Float, 4) => convert::<f32>(file, f64::from),
        (TypeChar::Float, 8) => convert::<f64>(file, |x| x),
        (kind_char, size) if floats_only || !is_integer(kind_char, size) => {
            Err(format!("holds {kind}; convert it to {wanted}"))
        }
        (TypeChar::Bool, _) => convert::<bool>(file, f64::from),
        (TypeChar::Int, 1) => convert::<i8>(file, f64::from),
        (TypeChar::Int, 2) => convert::<i16>(file, f64::from),
        (TypeChar::Int, 4) => convert::<i32>(file, f64::from),
        (TypeChar::Int, _) => convert::<i64>(file, |x| x as f64),
        (TypeChar::Uint, 1) => convert::<u8>(file, f64::from),
        (TypeChar::Uint, 2) => convert::<u16>(file, f64::from),
        (TypeChar::Uint, 4) => convert::<u32>(file, f64::from),
        _ => convert::<u64>(file, |x| x as f64),
    }
}

fn is_integer(kind: TypeChar, size: u64) -> bool {
    matches!(kind, TypeChar::Bool | TypeChar::Int | TypeChar::Uint) && [1, 2, 4, 8].contains(&size)
}

fn convert<T: Deserialize>(file: NpyFile<impl Read>, to_f64: impl Fn(T) -> f64) -> Result<Vec<f64>, String> {
    let broken = |error: &dyn std::fmt::Display| format!("cannot be read to its end: {error}");
    let numbers = file.data::<T>().map_err(|error| broken(&error))?;
    numbers.map(|number| number.map(&to_f64)).collect::<Result<_, _>>().map_err(|error| broken(&error))
}

/// Column-major numbers in row-major order.
fn row_major(shape: &[u64], values: &[f64]) -> Vec<f64> {
    let place = |index: usize| {
        let (mut stride, mut place) = (1, 0);
        for (&n, i) in shape.iter().zip(unravel(shape, index)) {
            place += i * stride;
            stride *= n as usize;
        }
        place
    };
    (0..values.len()).filter_map(|index| values.get(place(index)).copied()).collect()
}

/// The indices of the number at `index` in row-major order.
fn unravel(shape: &[u64], mut index: usize) -> Vec<usize> {
    let mut indices = vec![0; shape.len()];
    for (slot, &n) in indices.iter_mut().zip(shape).rev() {
        let n = (n as usize).max(1);
        *slot = index % n;
        index /= n;
    }
    indices
}

fn index_text(shape: &[u64], index: usize) -> String {
    format!("{:?}", unravel(shape, index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_major_numbers_become_row_major() {
        assert_eq!(row_major(&[2, 3], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn a_fault_is_named_by_its_indices() {
        assert_eq!(index_text(&[2, 3, 4], 23), "[1, 2, 3]");
        assert_eq!(index_text(&[5], 2), "[2]");
    }

    #[test]
    fn shapes_print_as_numpy_prints_them() {
        assert_eq!([shape_text(&[]), shape_text(&[3]), shape_text(&[2, 3])], ["()", "(3,)", "(2, 3)"]);
    }
}
