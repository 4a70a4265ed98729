//! The `<mujoco>` block of a URDF: MJCF settings with other defaults.

use super::only;
use crate::error::ReadError;
use crate::mjcf::settings::{self, Notation};
use crate::xml::Element;
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{CompilerSpec, InertiaFromGeom};

/// Settings that act while reading.
#[derive(Default)]
pub(crate) struct Settings {
    pub(super) discard_visual: bool,
    pub(super) strip_path: bool,
    /// Directory of meshes, relative to the URDF.
    pub(super) mesh_dir: String,
}

impl Settings {
    /// Reads the block into the spec. Angles are radians whatever it says.
    pub(super) fn read(root: Element, spec: &mut ModelSpec) -> Result<Self, ReadError> {
        spec.compiler = CompilerSpec {
            fuse_static: true,
            discard_visual: true,
            // A link without an inertial has no mass, and one that has it has what it says.
            inertia_from_geom: InertiaFromGeom::Never,
            inertia_as_given: true,
            ..CompilerSpec::default()
        };
        let mut notation = Notation::default();
        if let Some(block) = only(root, "mujoco")? {
            for element in block.children() {
                match element.tag() {
                    "compiler" => settings::compiler(element, &mut spec.compiler, &mut notation)?,
                    "option" => settings::option(element, &mut spec.options)?,
                    "size" => settings::size(element, &mut spec.size)?,
                    other => {
                        let warning = format!("{}: {other} has no meaning in a URDF and is ignored", element.place());
                        spec.warnings.push(warning);
                    }
                }
            }
        }
        let Notation { strip_path, mesh_dir, .. } = notation;
        Ok(Self { discard_visual: spec.compiler.discard_visual, strip_path, mesh_dir })
    }
}
