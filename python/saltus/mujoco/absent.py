"""Fields of features that Saltus does not support or does not store.

Unsupported are deformables, skins, plugins, delays and plastic springs; not stored are bounding
volume hierarchies, polygons and normals of meshes, pixels of textures, and file paths. Programs
that iterate over all fields find them empty, or filled with the value that means none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from saltus.mujoco.model import MjModel

# Data type and number of columns (0: a vector) of fields without rows.
_EMPTY: dict[tuple[str, int], str] = {
    ("float64", 0): (
        "efm0_L flex_bending flex_damping flex_edgedamping flex_edgestiffness flex_gap flex_margin flex_radius flex_solmix "
        "flex_stiffness flexedge_invweight0 flexedge_length0"
    ),
    ("int32", 0): (
        "efm0_L_colind efm0_L_rowadr efm0_L_rownnz efm0_dofid efmC_perm flex_activelayers flex_bendingadr flex_bvhadr "
        "flex_bvhnum flex_conaffinity flex_condim flex_contype flex_dim flex_edgeadr flex_edgeequality flex_edgenum "
        "flex_elem flex_elemadr flex_elemdataadr flex_elemedge flex_elemedgeadr flex_elemlayer flex_elemnum "
        "flex_elemtexcoord flex_group flex_interp flex_matid flex_nodeadr flex_nodebodyid flex_nodenum flex_passive "
        "flex_plasticadr flex_plasticmode flex_priority flex_selfcollide flex_shell flex_shelldataadr flex_shellnum "
        "flex_stiffnessadr flex_texcoordadr flex_vertadr flex_vertbodyid flex_vertcell flex_vertnum flexedge_J_colind "
        "flexedge_J_rowadr flexedge_J_rownnz oct_depth plugin plugin_attradr plugin_stateadr plugin_statenum skin_boneadr "
        "skin_bonebodyid skin_bonenum skin_bonevertadr skin_bonevertid skin_bonevertnum skin_faceadr skin_facenum "
        "skin_group skin_matid skin_pathadr skin_texcoordadr skin_vertadr skin_vertnum"
    ),
    ("int32", 2): "flex_edge flex_edgeflap",
    ("int32", 3): "flex_cellnum skin_face",
    ("int32", 8): "oct_child",
    ("bool", 0): "flex_centered flex_flatskin flex_rigid flexedge_rigid",
    ("float64", 2): "flex_solref flex_yield",
    ("float64", 3): "flex_friction flex_node flex_node0 flex_size flex_vert flex_vert0",
    ("float64", 5): "flex_solimp",
    ("float64", 6): "oct_aabb",
    ("float64", 8): "oct_coeff",
    ("float32", 0): "skin_bonevertweight skin_inflate",
    ("float32", 2): "flex_texcoord skin_texcoord",
    ("float32", 3): "skin_bonebindpos skin_vert",
    ("float32", 4): "flex_rgba skin_bonebindquat skin_rgba",
    ("int8", 0): "plugin_attr",
}
# Bounding volume hierarchies and mesh data for rendering. MuJoCo stores them, so its arrays are
# longer.
_NOT_KEPT: dict[tuple[str, int], str] = {
    ("int32", 0): (
        "bvh_depth bvh_nodeid mesh_graph mesh_polymap mesh_polyvert mesh_polyvertadr mesh_polyvertnum names_map"
    ),
    ("uint8", 0): "tex_data",
    ("int32", 2): "bvh_child",
    ("int32", 3): "mesh_facenormal mesh_facetexcoord",
    ("float32", 2): "mesh_texcoord",
    ("float32", 3): "mesh_normal",
    ("float64", 3): "mesh_polynormal",
    ("float64", 6): "bvh_aabb",
}
# Fields of MuJoCo 3 that were removed in 4, for programs that still use them.
_OLDER: dict[tuple[str, int], str] = {
    ("int32", 0): "flex_vertedgeadr flex_vertedgenum",
    ("int32", 2): "flex_vertedge flexvert_J_colind flexvert_J_rowadr flexvert_J_rownnz",
    ("float64", 4): "flex_vertmetric",
}


def _by_name(table: dict[tuple[str, int], str]) -> dict[str, tuple[str, int]]:
    return {name: kind for kind, names in table.items() for name in names.split()}


EMPTY = _by_name(_EMPTY)
NOT_KEPT = {**_by_name(_NOT_KEPT), **_by_name(_OLDER)}

# Model size, number of columns (0: a vector), data type and value of fields that are "none" for
# each object.
NONE: dict[str, tuple[str, int, str, float]] = {
    "actuator_delay": ("nactuator", 0, "float64", 0),
    "actuator_history": ("nactuator", 2, "int32", 0),
    "actuator_historyadr": ("nactuator", 0, "int32", -1),
    "actuator_plugin": ("nactuator", 0, "int32", -1),
    "body_plugin": ("nbody", 0, "int32", -1),
    "geom_plugin": ("ngeom", 0, "int32", -1),
    "jnt_plasticadr": ("njnt", 0, "int32", -1),
    "jnt_springyield": ("njnt", 0, "float64", 0),
    "light_texid": ("nlight", 0, "int32", -1),
    "mesh_octadr": ("nmesh", 0, "int32", -1),
    "mesh_octnum": ("nmesh", 0, "int32", 0),
    "sensor_delay": ("nsensor", 0, "float64", 0),
    "sensor_history": ("nsensor", 2, "int32", 0),
    "sensor_historyadr": ("nsensor", 0, "int32", -1),
    "sensor_interval": ("nsensor", 2, "float64", 0),
    "sensor_plugin": ("nsensor", 0, "int32", -1),
    "hfield_pathadr": ("nhfield", 0, "int32", -1),
    "mesh_pathadr": ("nmesh", 0, "int32", -1),
    "tex_contenttypeadr": ("ntex", 0, "int32", -1),
    "tex_pathadr": ("ntex", 0, "int32", -1),
    "tendon_plasticadr": ("ntendon", 0, "int32", -1),
    "tendon_springyield": ("ntendon", 0, "float64", 0),
}

# The same for fields that Saltus does not store.
NONE_KEPT: dict[str, tuple[str, int, str, float]] = {
    "body_bvhadr": ("nbody", 0, "int32", -1),
    "body_bvhnum": ("nbody", 0, "int32", 0),
    "mesh_bvhadr": ("nmesh", 0, "int32", -1),
    "mesh_bvhnum": ("nmesh", 0, "int32", 0),
    "mesh_extrema": ("nmesh", 27, "int32", -1),
    "mesh_graphadr": ("nmesh", 0, "int32", -1),
    "mesh_normaladr": ("nmesh", 0, "int32", -1),
    "mesh_normalnum": ("nmesh", 0, "int32", 0),
    "mesh_polyadr": ("nmesh", 0, "int32", -1),
    "mesh_polynum": ("nmesh", 0, "int32", 0),
    "mesh_polymapadr": ("nmeshvert", 0, "int32", -1),
    "mesh_polymapnum": ("nmeshvert", 0, "int32", 0),
    "mesh_texcoordadr": ("nmesh", 0, "int32", -1),
    "mesh_texcoordnum": ("nmesh", 0, "int32", 0),
    "tex_adr": ("ntex", 0, "int64", -1),
    "tex_colorspace": ("ntex", 0, "int32", 0),
    "tex_height": ("ntex", 0, "int32", 0),
    "tex_nchannel": ("ntex", 0, "int32", 0),
    "tex_type": ("ntex", 0, "int32", 0),
    "tex_width": ("ntex", 0, "int32", 0),
}

# Sizes that are always zero.
ZERO_SIZES = frozenset(
    "nJfe nefm0L nefm0dof nefmCvert nemax nflexbending nflexedge nflexelem nflexelemdata nflexelemedge nflexnode "
    "nflexshelldata nflexstiffness nflextexcoord noct npluginattr nskinbone nskinbonevert nskinface nskintexvert nskinvert "
    "nbvhdynamic".split()
)
ZERO_KEPT = frozenset(
    "nbvh nbvhstatic nmeshgraph nmeshnormal nmeshpoly nmeshpolymap nmeshpolyvert nmeshtexcoord nnames_map ntexdata "
    "nJfv".split()
)


ABSENT = frozenset({*EMPTY, *NOT_KEPT, *NONE, *NONE_KEPT, *ZERO_SIZES, *ZERO_KEPT, "key_plastic"})


def absent(model: MjModel, name: str) -> np.ndarray | int | None:
    """The value of such a field or size; None if the name is not one of them."""
    if name in ZERO_SIZES or name in ZERO_KEPT:
        return 0
    if name == "key_plastic":
        return np.zeros((model.nkey, 0))
    if empty := EMPTY.get(name) or NOT_KEPT.get(name):
        kind, columns = empty
        return np.zeros((0, columns) if columns else 0, dtype=kind)
    if none := NONE.get(name) or NONE_KEPT.get(name):
        size, columns, kind, value = none
        rows = getattr(model, size)
        array = np.full((rows, columns) if columns else rows, value, dtype=kind)
        array.flags.writeable = False
        return array
    return None
