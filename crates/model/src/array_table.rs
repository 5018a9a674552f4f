//! How one table of fields becomes the arrays of [`crate::Model`] and their listing.
//!
//! A line `real jnt_range [njnt, 2] "joint limits";` gives the struct a `Vec<f64>` of `njnt * 2` numbers (row-major)
//! and one entry in `Model::arrays`. Adding a compiled array is adding one line.

/// One compiled array, as `phalanx inspect --json` and the oracle test see it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArray<'a> {
    /// MuJoCo's name of the field.
    pub name: &'static str,
    /// Rows and columns; the data is row-major. One column is given as a shape of length one.
    pub shape: Vec<usize>,
    /// The numbers.
    pub data: ArrayData<'a>,
}

/// The numbers of a [`NamedArray`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrayData<'a> {
    /// Counts, indices, flags and MuJoCo's enumerations.
    Int(&'a [i32]),
    /// Physical values, in SI units and radians.
    Real(&'a [f64]),
}

macro_rules! element_type {
    (real) => {
        f64
    };
    (int) => {
        i32
    };
}

macro_rules! array_data {
    (real, $data:expr) => {
        $crate::array_table::ArrayData::Real($data)
    };
    (int, $data:expr) => {
        $crate::array_table::ArrayData::Int($data)
    };
}

/// Declares a struct of counts and arrays; see the module documentation.
macro_rules! array_table {
    (
        $(#[$struct_doc:meta])*
        pub struct $name:ident {
            $( $(#[$plain_doc:meta])* pub $plain:ident : $plain_type:ty, )*
        }
        counts { $( $count:ident $count_doc:literal; )* }
        arrays { $( $kind:ident $field:ident [$rows:ident $(, $width:tt)?] $doc:literal; )* }
    ) => {
        $(#[$struct_doc])*
        #[allow(non_snake_case)] // MuJoCo calls a field dof_M0
        pub struct $name {
            $( $(#[$plain_doc])* pub $plain: $plain_type, )*
            $( #[doc = $count_doc] pub $count: usize, )*
            $( #[doc = concat!($doc, ", `(", stringify!($rows), $(" x ", stringify!($width),)? ")`.")]
               pub $field: Vec<$crate::array_table::element_type!($kind)>, )*
        }

        impl $name {
            /// Every count by MuJoCo's name.
            pub fn counts(&self) -> Vec<(&'static str, usize)> {
                vec![$( (stringify!($count), self.$count), )*]
            }

            /// Every compiled array, with MuJoCo's names.
            pub fn arrays(&self) -> Vec<$crate::array_table::NamedArray<'_>> {
                vec![$( $crate::array_table::NamedArray {
                    name: stringify!($field),
                    shape: vec![self.$rows $(, $crate::array_table::width!(self, $width))?],
                    data: $crate::array_table::array_data!($kind, &self.$field),
                }, )*]
            }
        }
    };
}

/// A width is a number, or the name of another count.
macro_rules! width {
    ($model:ident, $width:literal) => {
        $width
    };
    ($model:ident, $width:ident) => {
        $model.$width
    };
    ($model:ident, ($width:ident * $factor:literal)) => {
        $model.$width * $factor
    };
}

pub(crate) use {array_data, array_table, element_type, width};
