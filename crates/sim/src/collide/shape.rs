//! A geom with its pose in the world, as input of the narrow phase.

use crate::data::Position;
use crate::geometry::Hull;
use crate::model::Model;
use crate::model::kinds::GeomShape;
use saltus_math::{Mat3, Vec3};

/// Shape with its pose.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Kind of shape.
    pub kind: GeomShape,
    /// Half sizes.
    pub size: Vec3,
    /// Position in the world.
    pub p: Vec3,
    /// Orientation in the world.
    pub R: Mat3,
    /// Radius of the bounding sphere about `p`; 0 for planes.
    pub bound_radius: f64,
    /// Hull, if it is a mesh.
    pub mesh: Option<Hull<'a>>,
    /// Heights, if it is a height field.
    pub field: Option<Field<'a>>,
}

/// Elevations of a height field.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Rows of samples, along y.
    pub nrow: usize,
    /// Columns of samples, along x.
    pub ncol: usize,
    /// Half size in x, half size in y, height of elevation 1, thickness below elevation 0, m.
    pub size: [f64; 4],
    /// Heights as fractions of the largest one, row by row.
    pub data: &'a [f32],
}

impl<'a> Shape<'a> {
    /// The geom `g` of a model at its current pose.
    pub fn of_geom(model: &'a Model, x: &Position, g: usize) -> Self {
        let geoms = &model.geoms;
        let mut shape = Shape {
            kind: geoms.shape[g],
            size: Vec3::from_array(geoms.size[g]),
            p: x.p_WG[g],
            R: x.R_WG[g],
            bound_radius: geoms.bound_radius[g],
            mesh: None,
            field: None,
        };
        let Some(data) = geoms.data[g].map(|d| d as usize) else { return shape };
        match shape.kind {
            GeomShape::Mesh => {
                let meshes = &model.meshes;
                shape.mesh = Some(Hull {
                    vertex: &meshes.vertex[meshes.vertices[data].range()],
                    corners: &meshes.hull_vertex[meshes.hull_vertices[data].range()],
                    faces: &meshes.hull_face[meshes.hull_faces[data].range()],
                    graph: meshes.hull_graph.get(data),
                });
            }
            GeomShape::Hfield => {
                let fields = &model.hfields;
                let (nrow, ncol) = (fields.nrow[data] as usize, fields.ncol[data] as usize);
                let start = fields.start[data] as usize;
                let data_range = start..start + nrow * ncol;
                shape.field = Some(Field { nrow, ncol, size: fields.size[data], data: &fields.data[data_range] });
            }
            _ => {}
        }
        shape
    }

    /// A primitive, for tests and queries without a model.
    pub fn primitive(kind: GeomShape, size: Vec3, p: Vec3, R: Mat3) -> Self {
        let [a, b, c] = size.to_array();
        let bound_radius = match kind {
            GeomShape::Sphere => a,
            GeomShape::Capsule => a + b,
            GeomShape::Cylinder => (a * a + b * b).sqrt(),
            GeomShape::Ellipsoid => a.max(b).max(c),
            GeomShape::Box => size.length(),
            _ => 0.0,
        };
        Self { kind, size, p, R, bound_radius, mesh: None, field: None }
    }

    /// The z axis: normal of a plane, axis of a capsule or cylinder.
    pub fn axis(&self) -> Vec3 {
        self.R.col(2)
    }
    /// Radius of a sphere, capsule or cylinder.
    pub fn radius(&self) -> f64 {
        self.size.x
    }
    /// Half the length of a capsule or cylinder, without caps.
    pub fn half_length(&self) -> f64 {
        self.size.y
    }
    /// A world point in the shape's frame.
    pub fn to_local(&self, point: Vec3) -> Vec3 {
        self.R.tmul(point - self.p)
    }
    /// A point of the frame of the shape in the world.
    pub fn to_world(&self, point: Vec3) -> Vec3 {
        self.p + self.R * point
    }
}

impl Hull<'_> {
    /// Vertex `i` in the geom's frame.
    pub fn point(&self, i: u32) -> Vec3 {
        let [x, y, z] = self.vertex[i as usize];
        Vec3::new(x.into(), y.into(), z.into())
    }
}
