"""Fields of things that Saltus refuses to load, so that every model has none of them: deformables, skins, plugins, delays,
plastic springs, octrees. Programs that go over all fields find them empty, or filled with what stands for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from saltus.mujoco.model import MjModel

# Kind of number and columns (0: a vector) of fields without rows.
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
EMPTY = {name: kind for kind, names in _EMPTY.items() for name in names.split()}

# Size of the model, columns (0: a vector), kind of number and value of fields that say "none" for each object.
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
    "tendon_plasticadr": ("ntendon", 0, "int32", -1),
    "tendon_springyield": ("ntendon", 0, "float64", 0),
}

# Sizes of what there is none of.
ZERO_SIZES = frozenset(
    "nJfe nefm0L nefm0dof nefmCvert nemax nflexbending nflexedge nflexelem nflexelemdata nflexelemedge nflexnode "
    "nflexshelldata nflexstiffness nflextexcoord noct npluginattr nskinbone nskinbonevert nskinface nskintexvert nskinvert "
    "nbvhdynamic".split()
)


def absent(model: MjModel, name: str) -> np.ndarray | int | None:
    """The field or size of something that no model has; None if this is not one."""
    if name in ZERO_SIZES:
        return 0
    if name == "key_plastic":
        return np.zeros((model.nkey, 0))
    if name in EMPTY:
        kind, columns = EMPTY[name]
        return np.zeros((0, columns) if columns else 0, dtype=kind)
    if name in NONE:
        size, columns, kind, value = NONE[name]
        rows = getattr(model, size)
        array = np.full((rows, columns) if columns else rows, value, dtype=kind)
        array.flags.writeable = False
        return array
    return None
