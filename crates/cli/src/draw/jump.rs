//! A jump: poses side by side over the floor with the contact forces, and curves against time.

use super::Strobe;
use crate::commands::demo::Sample;
use crate::thin::thinned;
use std::fmt::Write;

/// Pixels per metre, and margins.
const SCALE: f64 = 130.0;
/// Pixels per newton of contact force.
const FORCE: f64 = 0.05;
const WIDTH: f64 = 1840.0;
const FLOOR: f64 = 420.0;
const HEIGHT: f64 = 650.0;

/// The whole picture.
pub fn jump_svg(strobes: &[Strobe], samples: &[Sample]) -> String {
    let mut svg = String::new();
    // Writing to a String cannot fail.
    _ = writeln!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="14">
<rect width="{WIDTH}" height="{HEIGHT}" fill="#f7f6f3"/>
<rect y="{FLOOR}" width="{WIDTH}" height="8" fill="#8a8f98"/>"##
    );
    let count = strobes.len().max(2) as f64;
    for (k, strobe) in strobes.iter().enumerate() {
        let x = 70.0 + (WIDTH - 140.0) * k as f64 / (count - 1.0);
        draw_pose(&mut svg, strobe, x, k as f64 / (count - 1.0));
    }
    let panel = (HEIGHT - 168.0, 130.0);
    let turning: Vec<(f64, f64)> =
        samples.windows(2).map(|w| (w[0].time, (w[1].turn - w[0].turn) / (w[1].time - w[0].time))).collect();
    let force: Vec<(f64, f64)> = samples.iter().map(|s| (s.time, s.floor_force)).collect();
    let energy: Vec<(f64, f64)> = samples.iter().map(|s| (s.time, s.energy)).collect();
    let height: Vec<(f64, f64)> = samples.iter().map(|s| (s.time, s.com.z)).collect();
    for (k, (title, points)) in [
        ("turning speed of the trunk, rad/s", turning),
        ("height of the centre of mass, m", height),
        ("upward force of the floor, N", force),
        ("mechanical energy, J", energy),
    ]
    .into_iter()
    .enumerate()
    {
        draw_curve(&mut svg, (80.0 + 440.0 * k as f64, panel.0, 360.0, panel.1), title, &points);
    }
    svg.push_str("</svg>\n");
    svg
}

/// One pose at horizontal place `x`; `age` from 0 to 1 colours it.
fn draw_pose(svg: &mut String, strobe: &Strobe, x: f64, age: f64) {
    let place = |p: saltus::math::Vec3| (x + (p.x - strobe.com.x) * SCALE, FLOOR - p.z * SCALE);
    let mix = |a: f64, b: f64| (a + (b - a) * age).round() as u8;
    let colour = |shade: f64| {
        let channel = |a: f64, b: f64| (f64::from(mix(a, b)) * shade) as u8;
        format!("#{:02x}{:02x}{:02x}", channel(52.0, 214.0), channel(104.0, 96.0), channel(171.0, 58.0))
    };
    let n = strobe.limbs.len().max(1) as f64;
    for (k, limb) in strobe.limbs.iter().enumerate() {
        let ((x1, y1), (x2, y2)) = (place(limb.ends[0]), place(limb.ends[1]));
        let (width, stroke) = (2.0 * limb.radius * SCALE, colour(0.7 + 0.3 * k as f64 / n));
        // A tiny length keeps the round caps of spheres.
        _ = writeln!(
            svg,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{:.1}" y2="{y2:.1}" stroke="{stroke}" stroke-width="{width:.1}" stroke-linecap="round"/>"#,
            x2 + 0.1
        );
    }
    for touch in &strobe.touches {
        let ((x1, y1), (fx, fz)) = (place(touch.point), (touch.force.x * FORCE, touch.force.z * FORCE));
        _ = writeln!(
            svg,
            r##"<line x1="{x1:.1}" y1="{y1:.1}" x2="{:.1}" y2="{:.1}" stroke="#c22" stroke-width="2"/>
<circle cx="{x1:.1}" cy="{y1:.1}" r="3" fill="#c22"/>"##,
            x1 + fx,
            y1 - fz
        );
    }
    _ = writeln!(
        svg,
        r##"<text x="{x:.0}" y="{:.0}" text-anchor="middle" fill="#555">{:.2} s</text>"##,
        FLOOR + 26.0,
        strobe.time
    );
}

/// A curve in the rectangle (left, top, width, height), with its range.
fn draw_curve(svg: &mut String, (left, top, width, height): (f64, f64, f64, f64), title: &str, points: &[(f64, f64)]) {
    let t_max = points.last().map_or(1.0, |p| p.0).max(1e-9);
    let low = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min).min(0.0);
    let high = points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max).max(low + 1e-9) * 1.05;
    let place = |t: f64, y: f64| (left + width * t / t_max, top + height * (1.0 - (y - low) / (high - low)));
    let path: Vec<String> = thinned(points, 400)
        .into_iter()
        .map(|(t, y)| {
            let (x, y) = place(t, y);
            format!("{x:.1},{y:.1}")
        })
        .collect();
    _ = writeln!(
        svg,
        r##"<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="#fff" stroke="#ccc"/>
<polyline points="{}" fill="none" stroke="#d6603a" stroke-width="2"/>
<text x="{left}" y="{}" fill="#333">{title}</text>
<text x="{}" y="{}" text-anchor="end" fill="#777">{high:.3}</text>
<text x="{}" y="{}" text-anchor="end" fill="#777">{low:.3}</text>
<text x="{}" y="{}" text-anchor="end" fill="#777">{t_max:.2} s</text>"##,
        path.join(" "),
        top - 8.0,
        left - 4.0,
        top + 12.0,
        left - 4.0,
        top + height,
        left + width,
        top + height + 18.0
    );
}
