//! Pictures of models on the CPU: no screen, no graphics card, the same bits on every machine.
//!
//! A picture is made in these steps, each in its own module:
//!
//! 1. [`scene`]: instances of meshes with their surfaces, and lights, from a model and a state.
//! 2. `frame`: vertices in camera coordinates, triangles projected and sorted into tiles.
//! 3. `raster`: for each tile, the nearest triangle at each sample.
//! 4. `shade`: the colour of the triangles that are seen, with shadows.

pub mod camera;
pub mod error;
mod eye;
mod frame;
pub mod mesh;
mod raster;
pub mod renderer;
pub mod scene;
mod shade;
mod vector;

pub use camera::Camera;
pub use error::RenderError;
pub use renderer::Renderer;
pub use scene::Scene;
