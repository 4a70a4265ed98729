//! Steps allocate nothing once a simulation has seen its largest problem, and repeat bit for bit.

use crate::counting::allocations;
use crate::scene::{disturb, scene};
use saltus_maximal::{Options, Order};

const HUMANOID: &str = include_str!("../../../../models/humanoid.xml");

#[test]
fn steps_allocate_nothing_after_the_first_fall() {
    for options in [Options::default(), Options::plain(), Options::tree(), Options::direct()] {
        let mut scene = scene(HUMANOID, options);
        scene.run(400);
        let n = allocations(|| _ = scene.run(50));
        assert!(n == 0 && !scene.data.contacts.is_empty(), "{n} allocations: {options:?}");
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
