//! Working memory that modules keep in a [`Data`](super::Data) between calls, each under a type of
//! its own. `Data` does not know the modules: collision detection, laws and integrators stand above
//! it.

use core::any::{Any, TypeId};
use core::fmt::Debug;

/// Working memory of one module. Its contents between calls save time and do not change results.
pub(crate) trait Work: Any + Clone + Debug + Default + Send + Sync {}

impl<T: Any + Clone + Debug + Default + Send + Sync> Work for T {}

/// One value of each requested type, created on the first request.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// About six entries: a linear search is faster than a map.
    slots: Vec<(TypeId, Box<dyn Slot>)>,
}

impl Memory {
    /// The value of type `T`.
    pub fn of<T: Work>(&mut self) -> &mut T {
        let id = TypeId::of::<T>();
        let found = self.slots.iter().position(|(of, _)| *of == id);
        let at = found.unwrap_or_else(|| {
            self.slots.push((id, Box::new(T::default())));
            self.slots.len() - 1
        });
        let slot: &mut dyn Any = self.slots[at].1.as_mut();
        match slot.downcast_mut() {
            Some(value) => value,
            None => unreachable!("the slot was found or made by its type"),
        }
    }

    /// Moves the value of type `T` out, so that it can be used together with its owner.
    /// [`Memory::put`] moves it back.
    pub fn take<T: Work>(&mut self) -> T {
        core::mem::take(self.of())
    }

    pub fn put<T: Work>(&mut self, value: T) {
        *self.of() = value;
    }
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self { slots: self.slots.iter().map(|(id, slot)| (*id, slot.copy())).collect() }
    }
}

trait Slot: Any + Debug + Send + Sync {
    fn copy(&self) -> Box<dyn Slot>;
}

impl<T: Work> Slot for T {
    fn copy(&self) -> Box<dyn Slot> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_value_that_stays() {
        let mut memory = Memory::default();
        memory.of::<Vec<f64>>().push(1.0);
        *memory.of::<u32>() = 7;
        let taken: Vec<f64> = memory.take();
        assert_eq!((taken.as_slice(), memory.of::<Vec<f64>>().len()), (&[1.0][..], 0));
        memory.put(taken);
        let mut copy = memory.clone();
        *copy.of::<u32>() = 8;
        assert_eq!((*memory.of::<u32>(), *copy.of::<u32>(), copy.of::<Vec<f64>>()[0]), (7, 8, 1.0));
    }
}
