//! Steps allocate nothing once a simulation has seen its largest problem, and repeat bit for bit.

use crate::scene::{disturb, scene};
use saltus_maximal::{Options, Order};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counting calls of each thread.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every method forwards to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const HUMANOID: &str = include_str!("../../../../models/humanoid.xml");

#[test]
fn steps_allocate_nothing_after_the_first_fall() {
    for options in [Options::default(), Options::plain(), Options::tree()] {
        let mut scene = scene(HUMANOID, options);
        scene.run(400);
        let before = CALLS.get();
        scene.run(50);
        assert_eq!(CALLS.get() - before, 0, "{options:?}");
    }
}

#[test]
fn the_same_simulation_gives_the_same_bits() {
    for order in [Order::Grouped, Order::AsMade, Order::Random { seed: 3 }] {
        let [a, b] = [0, 1].map(|_| {
            let mut scene = scene(HUMANOID, Options { order, ..Options::default() });
            disturb(&mut scene.data);
            scene.run(100);
            scene.data.state
        });
        assert_eq!(a, b);
    }
}
