//! Geoms, sites, cameras, lights, assets.

use super::{MAX_LEN, same_len};
use super::{Verdict, check_ids, check_span, check_unit, check_user, finite, require};
use crate::ids::{BodyId, Span};
use crate::model::Model;
use crate::model::kinds::GeomShape;

/// Each body's span holds exactly the elements that name it.
fn check_owners(what: &str, spans: &[Span], owner: &[BodyId]) -> Verdict {
    for (b, span) in spans.iter().enumerate() {
        check_span(what, *span, owner.len())?;
        require(owner[span.range()].iter().all(|o| o.idx() == b), || format!("{what}: wrong body"))?;
    }
    Ok(())
}

pub(super) fn check_geoms(m: &Model) -> Verdict {
    let (t, n) = (&m.geoms, m.ngeom());
    same_len!(
        t,
        "geoms",
        n,
        [
            name,
            shape,
            contype,
            conaffinity,
            condim,
            body,
            data,
            material,
            group,
            priority,
            same_frame,
            solmix,
            solref,
            solimp,
            size,
            aabb,
            bound_radius,
            pos,
            quat,
            friction,
            margin,
            gap,
            surface_velocity,
            adhesion,
            fluid,
            rgba,
            cast_shadow,
        ]
    );
    check_user("geoms", &t.user, n, t.user_len)?;
    check_owners("geoms", &m.bodies.geoms, &t.body)?;
    check_ids("geoms.material", t.material.iter().flatten().map(|x| x.0), m.materials.name.len())?;
    for g in 0..n {
        let (shape, data) = (t.shape[g], t.data[g]);
        let bound = match shape {
            GeomShape::Hfield => m.hfields.nrow.len(),
            GeomShape::Mesh => m.meshes.vertices.len(),
            _ => 0,
        };
        let needs = matches!(shape, GeomShape::Hfield | GeomShape::Mesh);
        require(data.is_some() == needs, || format!("geom {g}: its shape and its asset do not agree"))?;
        check_ids("geoms.data", data, bound)?;
        require(matches!(t.condim[g], 1 | 3 | 4 | 6), || format!("geom {g}: wrong condim"))?;
        require(t.size[g].iter().all(|s| s.is_finite() && *s >= 0.0), || format!("geom {g}: wrong size"))?;
    }
    check_unit("geoms.quat", &t.quat)?;
    finite!(
        t,
        "geom",
        &t.name,
        [pos, solref, solimp, aabb, friction, surface_velocity, fluid, solmix, bound_radius, margin, gap, adhesion,]
    );
    Ok(())
}

pub(super) fn check_sites(m: &Model) -> Verdict {
    let (t, n) = (&m.sites, m.nsite());
    same_len!(t, "sites", n, [name, shape, body, mesh, material, group, same_frame, size, pos, quat, rgba]);
    check_user("sites", &t.user, n, t.user_len)?;
    check_owners("sites", &m.bodies.sites, &t.body)?;
    check_ids("sites.mesh", t.mesh.iter().flatten().map(|x| x.0), m.meshes.vertices.len())?;
    check_ids("sites.material", t.material.iter().flatten().map(|x| x.0), m.materials.name.len())?;
    check_unit("sites.quat", &t.quat)?;
    finite!(t, "site", &t.name, [pos, size]);
    Ok(())
}

pub(super) fn check_views(m: &Model) -> Verdict {
    let (t, n) = (&m.cameras, m.ncamera());
    same_len!(
        t,
        "cameras",
        n,
        [
            name,
            mode,
            body,
            target,
            pos,
            quat,
            pos_com0,
            pos0,
            mat0,
            orthographic,
            fovy,
            ipd,
            resolution,
            output,
            sensor_size,
            intrinsic,
        ]
    );
    check_user("cameras", &t.user, n, t.user_len)?;
    check_ids("cameras.body", t.body.iter().map(|x| x.0), m.nbody())?;
    check_ids("cameras.target", t.target.iter().flatten().map(|x| x.0), m.nbody())?;
    check_unit("cameras.quat", &t.quat)?;
    finite!(t, "camera", &t.name, [pos, pos_com0, pos0, fovy]);
    let (t, n) = (&m.lights, m.nlight());
    same_len!(
        t,
        "lights",
        n,
        [
            name,
            mode,
            body,
            target,
            kind,
            texture,
            cast_shadow,
            active,
            pos,
            dir,
            pos_com0,
            pos0,
            dir0,
            bulb_radius,
            intensity,
            range,
            attenuation,
            cutoff,
            softness,
            exponent,
            ambient,
            diffuse,
            specular,
        ]
    );
    check_ids("lights.body", t.body.iter().map(|x| x.0), m.nbody())?;
    check_ids("lights.target", t.target.iter().flatten().map(|x| x.0), m.nbody())?;
    check_ids("lights.texture", t.texture.iter().flatten().map(|x| x.0), m.textures.name.len())?;
    finite!(t, "light", &t.name, [pos, dir, pos_com0, pos0, dir0]);
    Ok(())
}

pub(super) fn check_meshes(m: &Model) -> Verdict {
    let (t, n) = (&m.meshes, m.meshes.vertices.len());
    same_len!(t, "meshes", n, [name, file, faces, hull_faces, hull_vertices, scale, pos, quat]);
    for i in 0..n {
        check_span("meshes.vertices", t.vertices[i], t.vertex.len())?;
        check_span("meshes.faces", t.faces[i], t.face.len())?;
        check_span("meshes.hull_faces", t.hull_faces[i], t.hull_face.len())?;
        check_span("meshes.hull_vertices", t.hull_vertices[i], t.hull_vertex.len())?;
        let count = t.vertices[i].len as usize;
        require(count > 0, || format!("mesh {i} has no vertices"))?;
        check_ids("meshes.face", t.face[t.faces[i].range()].iter().flatten().copied(), count)?;
        check_ids("meshes.hull_face", t.hull_face[t.hull_faces[i].range()].iter().flatten().copied(), count)?;
        check_ids("meshes.hull_vertex", t.hull_vertex[t.hull_vertices[i].range()].iter().copied(), count)?;
    }
    require(t.vertex.iter().flatten().all(|x| x.is_finite()), || "a mesh vertex is not finite".into())?;
    check_unit("meshes.quat", &t.quat)?;
    finite!(t, "mesh", &t.name, [pos]);
    Ok(())
}

pub(super) fn check_hfields(m: &Model) -> Verdict {
    let (t, n) = (&m.hfields, m.hfields.nrow.len());
    same_len!(t, "hfields", n, [name, file, size, ncol, start]);
    for i in 0..n {
        let (rows, cols) = (t.nrow[i] as usize, t.ncol[i] as usize);
        let count = rows.checked_mul(cols).filter(|c| *c <= MAX_LEN && rows >= 2 && cols >= 2);
        let end = count.and_then(|c| c.checked_add(t.start[i] as usize));
        require(end.is_some_and(|e| e <= t.data.len()), || format!("height field {i}: wrong grid"))?;
        require(t.size[i].iter().all(|s| s.is_finite() && *s > 0.0), || format!("height field {i}: wrong size"))?;
    }
    require(t.data.iter().all(|x| x.is_finite()), || "an elevation is not finite".into())
}

pub(super) fn check_materials(m: &Model) -> Verdict {
    same_len!(m.textures, "textures", m.textures.name.len(), [attributes]);
    let (t, n) = (&m.materials, m.materials.name.len());
    same_len!(
        t,
        "materials",
        n,
        [texture, tex_repeat, tex_uniform, emission, specular, shininess, reflectance, metallic, roughness, rgba,]
    );
    check_ids("materials.texture", t.texture.iter().flatten().map(|x| x.0), m.textures.name.len())
}
