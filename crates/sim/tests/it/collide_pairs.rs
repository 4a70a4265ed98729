//! Pairs of shapes in poses whose contacts are known from geometry.

use saltus_math::{Mat3, Quat, Vec3};
use saltus_sim::collide::narrow::{Scratch, Settings, Touch, collide};
use saltus_sim::collide::shape::{Field, Shape};
use saltus_sim::model::kinds::GeomShape as G;

fn shape(kind: G, size: [f64; 3], p: [f64; 3]) -> Shape<'static> {
    Shape::primitive(kind, Vec3::from_array(size), Vec3::from_array(p), Mat3::IDENTITY)
}

fn turned(mut shape: Shape<'static>, axis: Vec3, angle: f64) -> Shape<'static> {
    shape.R = Quat::from_axis_angle(axis, angle).to_mat3();
    shape
}

fn touches(a: &Shape, b: &Shape, margin: f64) -> Vec<Touch> {
    let mut out = Vec::new();
    collide(a, b, margin, &Settings::default(), &mut Scratch::default(), &mut out);
    out
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} should be {b}");
}
fn near_vec(a: Vec3, b: [f64; 3]) {
    assert!((a - Vec3::from_array(b)).length() < 1e-9, "{a} should be {b:?}");
}

#[test]
fn plane_touches_every_shape_at_its_lowest_points() {
    let plane = shape(G::Plane, [1.0; 3], [0.0; 3]);
    let cases = [
        (shape(G::Sphere, [0.1, 0.0, 0.0], [0.0, 0.0, 0.05]), 1, -0.05),
        (turned(shape(G::Capsule, [0.1, 0.3, 0.0], [0.0, 0.0, 0.05]), Vec3::X, core::f64::consts::FRAC_PI_2), 2, -0.05),
        (shape(G::Ellipsoid, [0.1, 0.2, 0.3], [0.0, 0.0, 0.25]), 1, -0.05),
        (shape(G::Cylinder, [0.1, 0.3, 0.0], [0.0, 0.0, 0.25]), 3, -0.05),
        (shape(G::Box, [0.1, 0.2, 0.3], [0.0, 0.0, 0.25]), 4, -0.05),
    ];
    for (other, count, dist) in cases {
        let found = touches(&plane, &other, 0.0);
        assert_eq!(found.len(), count, "{:?}", other.kind);
        for t in found {
            near(t.dist, dist);
            near(t.pos.z, 0.5 * dist);
            near_vec(t.normal, [0.0, 0.0, 1.0]);
        }
    }
}

#[test]
fn sphere_finds_faces_edges_and_corners_of_a_box() {
    let block = shape(G::Box, [0.1, 0.2, 0.3], [0.0; 3]);
    let sphere = |p| shape(G::Sphere, [0.1, 0.0, 0.0], p);
    let face = touches(&sphere([0.15, 0.05, 0.1]), &block, 0.0);
    near(face[0].dist, -0.05);
    near_vec(face[0].normal, [-1.0, 0.0, 0.0]);
    near_vec(face[0].pos, [0.075, 0.05, 0.1]);
    let corner = touches(&sphere([0.15, 0.25, 0.35]), &block, 0.0);
    near(corner[0].dist, 0.05 * 3.0_f64.sqrt() - 0.1);
    let inside = touches(&sphere([0.08, 0.0, 0.0]), &block, 0.0);
    near(inside[0].dist, -0.12);
    near_vec(inside[0].normal, [-1.0, 0.0, 0.0]);
    assert!(touches(&sphere([0.25, 0.0, 0.0]), &block, 0.0).is_empty());
    assert_eq!(touches(&sphere([0.25, 0.0, 0.0]), &block, 0.06).len(), 1);
}

#[test]
fn coincident_centres_still_have_a_normal() {
    let a = shape(G::Sphere, [0.1, 0.0, 0.0], [0.0; 3]);
    let t = touches(&a, &a, 0.0);
    near(t[0].dist, -0.2);
    near_vec(t[0].normal, [1.0, 0.0, 0.0]);
    let capsule = shape(G::Capsule, [0.1, 0.3, 0.0], [0.0; 3]);
    near(touches(&a, &capsule, 0.0)[0].normal.length(), 1.0);
    near(touches(&capsule, &capsule, 0.0)[0].normal.length(), 1.0);
}

#[test]
fn parallel_capsules_touch_at_both_ends_of_their_overlap() {
    let a = shape(G::Capsule, [0.1, 0.3, 0.0], [0.0; 3]);
    let b = shape(G::Capsule, [0.1, 0.3, 0.0], [0.15, 0.0, 0.1]);
    let found = touches(&a, &b, 0.0);
    assert_eq!(found.len(), 2);
    near_vec(found[0].pos, [0.075, 0.0, -0.2]);
    near_vec(found[1].pos, [0.075, 0.0, 0.3]);
    // Crossed ones touch once.
    let crossed = touches(&a, &turned(b, Vec3::X, 1.0), 0.0);
    assert_eq!(crossed.len(), 1);
    near(crossed[0].dist, -0.05);
}

#[test]
fn stacked_boxes_touch_at_the_corners_of_their_overlap() {
    let a = shape(G::Box, [0.5, 0.5, 0.5], [0.0; 3]);
    let b = shape(G::Box, [0.1, 0.2, 0.1], [0.45, 0.0, 0.59]);
    let found = touches(&a, &b, 0.0);
    assert_eq!(found.len(), 4);
    for t in &found {
        near(t.dist, -0.01);
        near(t.pos.z, 0.495);
        near_vec(t.normal, [0.0, 0.0, 1.0]);
        near(t.pos.y.abs(), 0.2);
    }
    // The second box reaches over the border of the first: the overlap ends there.
    near(found.iter().map(|t| t.pos.x).fold(f64::NEG_INFINITY, f64::max), 0.5);
    // Turned by 45°, two equal faces overlap in an octagon.
    let c = turned(shape(G::Box, [0.5, 0.5, 0.5], [0.0, 0.0, 0.99]), Vec3::Z, core::f64::consts::FRAC_PI_4);
    assert_eq!(touches(&a, &c, 0.0).len(), 8);
}

#[test]
fn crossed_edges_of_boxes_touch_once() {
    let quarter = core::f64::consts::FRAC_PI_4;
    let a = turned(shape(G::Box, [0.1, 0.1, 0.5], [0.0; 3]), Vec3::Z, quarter);
    let mut b = shape(G::Box, [0.1, 0.5, 0.1], [0.0; 3]);
    b.R = Quat::from_axis_angle(Vec3::Y, quarter).to_mat3();
    b.p = Vec3::new(0.2 * 2.0_f64.sqrt() - 0.01, 0.05, 0.02);
    let found = touches(&a, &b, 0.0);
    assert_eq!(found.len(), 1);
    near(found[0].dist, -0.01);
    near_vec(found[0].normal, [1.0, 0.0, 0.0]);
    near_vec(found[0].pos, [0.1 * 2.0_f64.sqrt() - 0.005, 0.0, 0.02]);
}

#[test]
fn edges_of_boxes_give_way_to_the_best_face_only() {
    // The best axis is a pair of edges. A face of the second box has almost the same normal, but a
    // face of the first, far from it, separates better than that.
    let a = shape(G::Box, [0.6, 0.3, 0.05], [0.0; 3]);
    let mut b = shape(G::Box, [0.1; 3], [0.61503957, -0.00984412, -0.02481936]);
    b.R = Quat::new(0.622421107, 0.453007943, 0.525032136, -0.362928402).normalized().to_mat3();
    let found = touches(&a, &b, 0.0);
    assert_eq!(found.len(), 1);
    assert!((found[0].dist + 0.124292731).abs() < 1e-8, "{}", found[0].dist);
    assert!((found[0].normal - Vec3::new(0.19339964, 0.0, -0.98112006)).length() < 1e-7, "{}", found[0].normal);
}

#[test]
fn height_field_makes_fifty_contacts_row_by_row_upper_triangles_first() {
    let elevation = [1.0_f32; 81];
    let mut land = shape(G::Hfield, [0.0; 3], [0.0; 3]);
    land.field = Some(Field { nrow: 9, ncol: 9, size: [1.0, 1.0, 0.05, 0.3], data: &elevation });
    let plate = shape(G::Box, [0.9, 0.9, 0.1], [0.0, 0.0, 0.14]);
    let found = touches(&land, &plate, 0.0);
    assert_eq!(found.len(), 50);
    // Steps of a cell from the low corner: points of upper triangles have y > x there.
    let place = |t: &Touch| ((t.pos.x + 1.0) / 0.25, (t.pos.y + 1.0) / 0.25);
    for pair in found.chunks(2).take(8) {
        let ((x0, y0), (x1, y1)) = (place(&pair[0]), place(&pair[1]));
        assert!(y0 - x0.floor() - (x0 - x0.floor()) >= y1 - x1.floor() - (x1 - x1.floor()), "{x0} {y0}, {x1} {y1}");
    }
}

#[test]
fn flat_convex_contacts_have_four_points() {
    let cylinder = shape(G::Cylinder, [0.1, 0.3, 0.0], [0.0, 0.0, 0.0]);
    let block = shape(G::Box, [0.5, 0.5, 0.1], [0.0, 0.0, 0.395]);
    let found = touches(&cylinder, &block, 0.0);
    assert_eq!(found.len(), 4);
    for t in &found {
        near(t.dist, -0.005);
        near(t.pos.z, 0.2975);
        near(t.pos.truncate().length(), 0.1);
    }
    // Without a manifold there is one.
    let mut out = Vec::new();
    collide(
        &cylinder,
        &block,
        0.0,
        &Settings { multiple: false, ..Settings::default() },
        &mut Scratch::default(),
        &mut out,
    );
    assert_eq!(out.len(), 1);
    // A cylinder on its side touches along a line.
    let lying = turned(shape(G::Cylinder, [0.1, 0.3, 0.0], [0.0, 0.0, 0.2]), Vec3::X, core::f64::consts::FRAC_PI_2);
    assert_eq!(touches(&lying, &block, 0.0).len(), 2);
}

#[test]
fn face_decides_the_normal_of_an_edge_and_an_end_that_is_cut_comes_twice() {
    // A cylinder on its side reaches beyond the border of a face, into which it dips there; its
    // other end is above.
    let tilt = Quat::from_axis_angle(Vec3::Y, core::f64::consts::FRAC_PI_2 + 0.05).to_mat3();
    let mut cylinder = shape(G::Cylinder, [0.1, 0.3, 0.0], [0.3, 0.0, 0.29]);
    cylinder.R = tilt;
    let block = shape(G::Box, [0.2; 3], [0.0; 3]);
    let found = touches(&cylinder, &block, 0.0);
    assert_eq!(found.len(), 2, "{found:?}");
    near_vec(found[0].pos, found[1].pos.to_array());
    near(found[0].pos.x, 0.2);
    near_vec(found[0].normal, [0.0, 0.0, -1.0]);
    let mut out = Vec::new();
    collide(
        &cylinder,
        &block,
        0.0,
        &Settings { multiple: false, ..Settings::default() },
        &mut Scratch::default(),
        &mut out,
    );
    assert!(out[0].normal.x < -0.04, "the shortest way out is across the cylinder: {out:?}");
}

#[test]
fn capsule_lies_on_a_box_with_two_points() {
    let capsule = turned(shape(G::Capsule, [0.1, 0.3, 0.0], [0.0, 0.0, 0.19]), Vec3::Y, core::f64::consts::FRAC_PI_2);
    let block = shape(G::Box, [0.5, 0.5, 0.1], [0.0; 3]);
    let found = touches(&capsule, &block, 0.0);
    assert_eq!(found.len(), 2);
    near(found[0].dist, -0.01);
    near((found[0].pos.x - found[1].pos.x).abs(), 0.6);
}

#[test]
fn capsule_through_a_box_touches_as_balls_do() {
    let block = shape(G::Box, [0.5, 0.5, 0.1], [0.0; 3]);
    // An end inside: one point, out through the nearest face.
    let end_inside = shape(G::Capsule, [0.05, 0.3, 0.0], [0.1, 0.0, 0.32]);
    let found = touches(&end_inside, &block, 0.0);
    assert_eq!(found.len(), 1);
    near(found[0].dist, -0.05 - 0.08);
    near_vec(found[0].normal, [0.0, 0.0, -1.0]);
    // Through both wide faces, near an edge: the ball nearest to that edge, whose depth is less
    // than that of the capsule.
    let crossing = turned(shape(G::Capsule, [0.05, 0.4, 0.0], [0.45, 0.1, 0.0]), Vec3::Y, 0.1);
    let found = touches(&crossing, &block, 0.0);
    near(centre(&found[0], 0.05).dot(Vec3::Y), 0.1);
    assert!((found[0].dist + 0.05).abs() < 0.01, "{}", found[0].dist);
}

/// Centre of the ball of the first shape that touches.
fn centre(touch: &Touch, radius: f64) -> Vec3 {
    touch.pos - touch.normal * (radius + 0.5 * touch.dist)
}

/// The centres of the balls of a capsule with radius 0.05 through `p` that touch a cube, or come
/// within 0.5.
fn balls_on_cube(p: [f64; 3], axis: [f64; 3], half: f64) -> Vec<Vec3> {
    let mut capsule = shape(G::Capsule, [0.05, half, 0.0], p);
    capsule.R = Quat::from_z_to(Vec3::from_array(axis)).to_mat3();
    touches(&capsule, &shape(G::Box, [0.2; 3], [0.0; 3]), 0.5).iter().map(|t| centre(t, 0.05)).collect()
}

#[test]
fn capsule_at_a_corner_goes_along_the_edge_or_over_the_face() {
    // Down along an edge from its upper corner, leaning outward: to the end of the edge.
    let steep = balls_on_cube([0.21; 3], [0.1, 0.1, -1.0], 0.5);
    assert_eq!(steep.len(), 2);
    near(steep[1].z - steep[0].z, -0.4);
    // Over the upper face, rising slowly: to the far side of the face.
    let flat = balls_on_cube([0.21; 3], [-1.0, -0.9, 0.1], 0.7);
    assert_eq!(flat.len(), 2);
    near(flat[1].x - flat[0].x, -0.4);
    // Away from the corner in all coordinates.
    assert_eq!(balls_on_cube([0.21; 3], [1.0, 1.0, 1.0], 0.5).len(), 1);
}

#[test]
fn capsule_across_an_edge_has_a_second_point_only_over_a_face() {
    let above = [0.22, 0.0, 0.22];
    // Over the upper face, to its far side.
    let leaning = balls_on_cube(above, [1.0, 0.02, -0.3], 0.6);
    assert_eq!(leaning.len(), 2);
    near(leaning[1].x - leaning[0].x, -0.4);
    // Leaves both faces one way and enters both the other way.
    assert_eq!(balls_on_cube(above, [1.0, 0.02, 0.9], 0.6).len(), 1);
}
