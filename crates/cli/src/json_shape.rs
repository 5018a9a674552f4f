//! The two shapes of JSON that serde's derive does not make: numbers nested by their shape, and pairs as an object.

use serde::ser::{Serialize, SerializeSeq, Serializer};

/// Names with values as one JSON object, in the order of the list.
#[derive(Clone, Debug, Default)]
pub struct Pairs<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Pairs<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Row-major numbers of a shape as nested lists, so that `numpy.array` gives them their shape back. Rows that the numbers do not
/// fill are left out.
#[derive(Clone, Copy, Debug)]
pub struct Nested<'a, T> {
    /// Rows, columns and so on; empty for one number.
    pub shape: &'a [usize],
    /// The numbers.
    pub values: &'a [T],
}

impl<T: Serialize> Serialize for Nested<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((&rows, shape)) = self.shape.split_first() else {
            return match self.values {
                [value] => value.serialize(serializer),
                _ => serializer.serialize_none(),
            };
        };
        let width = shape.iter().product::<usize>();
        let mut list = serializer.serialize_seq(Some(rows))?;
        for row in 0..rows {
            let Some(values) = self.values.get(row * width..(row + 1) * width) else { break };
            list.serialize_element(&Nested { shape, values })?;
        }
        list.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_nested_by_their_shape() {
        let json = |shape: &[usize], values: &[f64]| serde_json::to_string(&Nested { shape, values }).unwrap();
        assert_eq!(json(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), "[[1.0,2.0,3.0],[4.0,5.0,6.0]]");
        assert_eq!(json(&[2], &[1.0, f64::NAN]), "[1.0,null]");
        assert_eq!(json(&[0, 3], &[]), "[]");
        assert_eq!(json(&[], &[7.0]), "7.0");
    }
}
