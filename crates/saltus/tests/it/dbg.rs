use crate::common::model_file;
use saltus::sim::law::options::Law;
use saltus::{Data, step};
#[test]
fn dbg() {
    let name = std::env::var("M").unwrap_or("tower.xml".into());
    let mut model = saltus::load(model_file(&name)).unwrap();
    model.options.laws.law = Law::Invertible;
    let mut data = Data::new(&model);
    let n: usize = std::env::var("N").ok().and_then(|s| s.parse().ok()).unwrap_or(100);
    for k in 0..n {
        if let Err(e) = step(&model, &mut data) {
            println!("{k} {e}");
            break;
        }
        let r = &data.constraints.report;
        println!(
            "{k} rows {} {} it {} tot {} res {:.1e}",
            data.constraints.len(),
            r.status.name(),
            r.iterations,
            r.total_iterations,
            r.residual
        );
    }
}
