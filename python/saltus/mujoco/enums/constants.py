"""Numbers and words that MuJoCo names."""

import numpy as np

mjMINVAL = 1e-15
mjMAXVAL = 1e10
mjPI = 3.141592653589793
mjMINIMP = 0.0001
mjMAXIMP = 0.9999
mjMINMU = 1e-5
mjNEQDATA = 12
mjNDYN = 10
mjNGAIN = 10
mjNBIAS = 10
mjNFLUID = 12
mjNREF = 2
mjNIMP = 5
mjNPOLY = 2
mjNSENS = 3
mjMAXCONPAIR = 50
mjMAXFLEXNODES = 27
mjMAXLIGHT = 100
mjMAXLINE = 100
mjMAXLINEPNT = 1001
mjMAXOVERLAY = 500
mjMAXPLANEGRID = 200
mjMAXTREEDEPTH = 50
mjMINAWAKE = 10
mjNGROUP = 6
mjNISLAND = 20
mjNSOLVER = 200
mjVERSION_HEADER = 4000000
MJTNUM_BYTES = 8
MJTNUM_DTYPE = np.float64

mjDISABLESTRING = (
    "Constraint",
    "Equality",
    "Frictionloss",
    "Limit",
    "Contact",
    "Spring",
    "Damper",
    "Gravity",
    "Clampctrl",
    "Warmstart",
    "Filterparent",
    "Actuation",
    "Refsafe",
    "Sensor",
    "Midphase",
    "Eulerdamp",
    "AutoReset",
    "NativeCCD",
    "Island",
    "MultiCCD",
)
mjENABLESTRING = ("Override", "Energy", "Fwdinv", "InvDiscrete", "Sleep", "DiagExact", "IPC", "Speculative")
mjTIMERSTRING = (
    "step",
    "forward",
    "inverse",
    "position",
    "velocity",
    "actuation",
    "constraint",
    "advance",
    "pos_kinematics",
    "pos_inertia",
    "pos_collision",
    "pos_make",
    "pos_project",
    "col_broadphase",
    "col_narrowphase",
)
mjLABELSTRING = (
    "None",
    "Body",
    "Joint",
    "Geom",
    "Site",
    "Camera",
    "Light",
    "Tendon",
    "Actuator",
    "Constraint",
    "Flex",
    "Skin",
    "Selection",
    "SelPoint",
    "Contact",
    "ContactForce",
    "Island",
)
mjFRAMESTRING = ("None", "Body", "Geom", "Site", "Camera", "Light", "Contact", "World")
mjVISSTRING = (
    ("Convex Hull", "0", "H"),
    ("Texture", "1", "X"),
    ("Joint", "0", "J"),
    ("Camera", "0", "Q"),
    ("Actuator", "0", "U"),
    ("Activation", "0", ","),
    ("Light", "0", "Z"),
    ("Tendon", "1", "V"),
    ("Range Finder", "1", "Y"),
    ("Equality", "0", "E"),
    ("Inertia", "0", "I"),
    ("Scale Inertia", "0", "'"),
    ("Perturb Force", "0", "B"),
    ("Perturb Object", "1", "O"),
    ("Contact Point", "0", "C"),
    ("Island", "0", "N"),
    ("Contact Force", "0", "F"),
    ("Contact Split", "0", "P"),
    ("Transparent", "0", "T"),
    ("Auto Connect", "0", "A"),
    ("Center of Mass", "0", "M"),
    ("Select Point", "0", ""),
    ("Static Body", "1", "D"),
    ("Skin", "1", ";"),
    ("Flex Vert", "0", ""),
    ("Flex Edge", "1", ""),
    ("Flex Face", "0", ""),
    ("Flex Skin", "1", ""),
    ("Body Tree", "0", "`"),
    ("Mesh Tree", "0", "\\"),
    ("SDF iters", "0", ""),
)
mjRNDSTRING = (
    ("Shadow", "1", "S"),
    ("Wireframe", "0", "W"),
    ("Reflection", "1", "R"),
    ("Additive", "0", "L"),
    ("Skybox", "1", "K"),
    ("Fog", "0", "G"),
    ("Haze", "1", "/"),
    ("Depth", "0", ""),
    ("Segment", "0", ","),
    ("Id Color", "0", ""),
    ("Cull Face", "1", ""),
    ("Post Processing", "1", ""),
)
