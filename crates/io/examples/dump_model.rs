//! Prints compiled models as JSON, one line per model file: `dump_model a.xml b.xml …`. For
//! comparing tables.

fn main() {
    for path in std::env::args().skip(1) {
        let model = saltus_io::mjcf::read_file(&path)
            .map_err(|e| e.to_string())
            .and_then(|spec| saltus_sim::compile(&spec).map_err(|e| e.to_string()))
            .and_then(|model| model.validate().map(|()| model).map_err(|e| e.to_string()));
        let line = match model {
            Ok(model) => serde_json::json!({ "path": path, "model": model }),
            Err(error) => serde_json::json!({ "path": path, "error": error }),
        };
        println!("{line}");
    }
}
