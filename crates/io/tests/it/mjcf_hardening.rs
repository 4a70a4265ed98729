//! Hostile documents end in an error: no overflow of the stack, no blow-up of memory or time.

use saltus_io::mjcf::read_str;
use std::collections::BTreeMap;

fn error(xml: &str) -> String {
    match read_str(xml, &BTreeMap::new()) {
        Ok(_) => panic!("read without an error"),
        Err(error) => error.to_string(),
    }
}

fn nested(open: &str, close: &str, depth: usize, inside: &str) -> String {
    format!("<mujoco><worldbody>{}{inside}{}</worldbody></mujoco>", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_chains_load_and_deeper_ones_are_refused() {
    let spec = read_str(&nested("<body>", "</body>", 4_000, ""), &BTreeMap::new()).unwrap();
    assert_eq!(spec.bodies.len(), 4_001);
    let frames = nested("<frame pos='1 0 0'>", "</frame>", 4_000, "<site/>");
    assert_eq!(read_str(&frames, &BTreeMap::new()).unwrap().bodies[0].sites[0].pos.x, 4_000.0);
    for depth in [10_000, 1_000_000] {
        assert!(error(&nested("<body>", "</body>", depth, "")).contains("nested deeper than 5000"));
    }
    assert!(error(&"<a>".repeat(1_000_000)).contains("nested deeper than 5000"));
}

#[test]
fn entities_are_not_expanded() {
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><mujoco model=\"&b;\"/>";
    assert!(error(bomb).contains("DTD"));
}

#[test]
fn replicas_of_replicas_are_bounded() {
    let tower = nested("<replicate count='100'>", "</replicate>", 20, "<geom size='1'/>");
    assert!(error(&tower).contains("more than 300000"));
    assert!(error(&nested("<replicate count='2000000000'>", "</replicate>", 1, "<site/>")).contains("more than"));
    assert!(error(&nested("<replicate count='2000000000'>", "</replicate>", 1, "")).contains("at most 300000"));
    assert!(error(&nested("<replicate count='0'>", "</replicate>", 1, "")).contains("must be positive"));
    let sensors = "<accelerometer site='s'/>".repeat(1_000);
    let copies = format!(
        "<mujoco><worldbody><replicate count='10000'><site name='s'/></replicate></worldbody><sensor>{sensors}</sensor></mujoco>"
    );
    assert!(error(&copies).contains("10000 copies"));
}

#[test]
fn models_that_attach_themselves_end() {
    let own: &[u8] = b"<mujoco><asset><model name='s' file='s.xml'/></asset><worldbody><attach model='s' prefix='a'/>\
                       <attach model='s' prefix='b'/></worldbody></mujoco>";
    let assets: BTreeMap<_, _> = [("s.xml".to_owned(), own.to_vec())].into();
    let text = String::from_utf8(own.to_vec()).unwrap();
    let error = read_str(&text, &assets).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("deeper than 20"), "{error}");
}

#[test]
fn sizes_that_reserve_memory_are_bounded() {
    assert!(error("<mujoco><custom><numeric name='a' size='2000000000'/></custom></mujoco>").contains("size from 1"));
    assert!(
        error("<mujoco><asset><hfield name='h' size='1 1 1 1' nrow='60000' ncol='60000'/></asset></mujoco>")
            .contains("cells")
    );
    assert!(error("<mujoco><size nuserdata='2000000000'/></mujoco>").contains("at most"));
    assert!(error("<mujoco><sensor><user dim='2000000000'/></sensor></mujoco>").contains("dim"));
}

#[test]
fn broken_documents_are_errors_not_panics() {
    for text in
        ["", "<", "<mujoco", "<mujoco>", "</mujoco>", "<robot/>", "<mujoco><worldbody></mujoco>", "\u{0}", "<!--"]
    {
        assert!(!error(text).is_empty());
    }
}
