//! Typed indices into the compiled model's tables.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(transparent)]
        #[serde(transparent)]
        pub struct $name(pub u32);
        impl $name {
            #[inline]
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }
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
    pub start: u32,
    pub len: u32,
}

impl Span {
    pub const fn new(start: usize, len: usize) -> Self {
        Self { start: start as u32, len: len as u32 }
    }
    #[inline]
    pub const fn range(self) -> core::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}
