//! Typed indices into the compiled model's tables.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        /// Typed index of an element of the model.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(transparent)]
        #[serde(transparent)]
        pub struct $name(pub u32);
        impl $name {
            /// From an index.
            #[inline]
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }
            /// The index.
            #[inline]
            pub const fn idx(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}
ids!(
    BodyId, JointId, DofId, TreeId, GeomId, SiteId, CameraId, LightId, MeshId, HfieldId, MaterialId, TextureId,
    TendonId, ActuatorId, SensorId, EqualityId, KeyId, MocapId,
);

/// A run of consecutive table entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First index.
    pub start: u32,
    /// Number of indices.
    pub len: u32,
}

impl Span {
    /// From an index.
    pub const fn new(start: usize, len: usize) -> Self {
        Self { start: start as u32, len: len as u32 }
    }
    /// The indices as a range.
    #[inline]
    pub const fn range(self) -> core::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
    /// Whether the run is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}
