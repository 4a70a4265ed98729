//! Table of elements: their positions and attributes. Each row has a path and attributes.
//!
//! A path starts with `?` if the element may occur only once in its parent. `body` stands for
//! worldbody, body, frame and replicate, which may contain the same elements.

#[rustfmt::skip]
pub const ELEMENTS: &[(&str, &str)] = &[
    ("option", "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance gravity \
      wind magnetic density viscosity o_margin o_solref o_solimp o_friction integrator cone jacobian solver \
      iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints \
      actuatorgroupdisable"),
    ("?option/flag", "constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart \
      filterparent actuation refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd override \
      energy fwdinv invdiscrete sleep diagexact ipc speculative"),
    ("compiler", "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle \
      fitaabb eulerseq meshdir texturedir discardvisual usethread fusestatic inertiafromgeom inertiagrouprange \
      saveinertial savecompiled savecanonical assetdir alignfree conflict passthrough"),
    ("?compiler/lengthrange", "mode useexisting uselimit accel maxforce timeconst timestep inttotal interval \
      tolrange"),
    ("size", "memory njmax nconmax nstack nuserdata nkey nuser_body nuser_jnt nuser_geom nuser_site nuser_cam \
      nuser_tendon nuser_actuator nuser_sensor"),
    ("statistic", "meaninertia meanmass meansize extent center"),
    ("asset", ""),
    ("asset/mesh", "name class content_type file vertex normal texcoord face refpos refquat scale smoothnormal \
      maxhullvert inertia builtin params material"),
    ("asset/hfield", "name content_type file nrow ncol size elevation"),
    ("asset/texture", "name class type colorspace content_type file gridsize gridlayout fileright fileleft \
      fileup filedown filefront fileback builtin rgb1 rgb2 mark markrgb random width height hflip vflip \
      nchannel embed"),
    ("asset/material", "name class texture texrepeat texuniform emission specular shininess reflectance \
      metallic roughness rgba"),
    ("asset/material/layer", "texture role"),
    ("asset/model", "name file content_type"),
    ("body/body", "name childclass pos quat axisangle xyaxes zaxis euler mocap gravcomp sleep simple fuse user"),
    ("?body/inertial", "pos quat mass diaginertia axisangle xyaxes zaxis euler fullinertia"),
    ("body/joint", "name class type group pos axis springdamper limited actuatorfrclimited solreflimit \
      solimplimit solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref \
      springref springyield armature damping frictionloss user"),
    ("body/freejoint", "name group align"),
    ("body/geom", "name class type contype conaffinity condim group priority size material friction mass \
      density shellinertia solmix solref solimp margin gap surfacevel adhesion fromto pos quat axisangle xyaxes \
      zaxis euler hfield mesh fitscale rgba castshadow fluidshape fluidcoef user"),
    ("body/attach", "model body frame prefix"),
    ("body/site", "name class type group pos quat axisangle xyaxes zaxis euler material mesh size fromto rgba \
      user"),
    ("body/camera", "name class projection fovy ipd resolution output pos quat axisangle xyaxes zaxis euler \
      mode target focal focalpixel principal principalpixel sensorsize user"),
    ("body/light", "name class directional type castshadow active pos dir bulbradius intensity range \
      attenuation cutoff softness exponent ambient diffuse specular mode target texture"),
    ("deformable", ""),
    ("contact", ""),
    ("contact/pair", "name class geom1 geom2 condim friction solref solreffriction solimp gap margin adhesion"),
    ("contact/exclude", "name body1 body2"),
    ("equality", ""),
    ("equality/connect", "name class active solref solimp body1 body2 anchor site1 site2"),
    ("equality/weld", "name class active solref solimp body1 body2 relpose anchor site1 site2 torquescale"),
    ("equality/joint", "name class active solref solimp joint1 joint2 polycoef"),
    ("equality/tendon", "name class active solref solimp tendon1 tendon2 polycoef"),
    ("tendon", ""),
    ("tendon/spatial", "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit \
      solimplimit solreffriction solimpfriction frictionloss springlength springyield width material margin \
      stiffness damping armature rgba user"),
    ("tendon/spatial/site", "site"),
    ("tendon/spatial/geom", "geom sidesite"),
    ("tendon/spatial/pulley", "divisor"),
    ("tendon/fixed", "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit \
      solimplimit solreffriction solimpfriction frictionloss springlength springyield margin stiffness damping \
      armature user"),
    ("tendon/fixed/joint", "joint coef"),
    ("actuator", ""),
    ("actuator/general", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited \
      actlimited forcerange actrange lengthrange gear damping armature cranklength joint jointinparent tendon \
      slidersite cranksite site refsite body actdim input velrange ffrange inheritrange dyntype gaintype \
      biastype dynprm gainprm biasprm actearly"),
    ("actuator/motor", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited \
      forcerange lengthrange gear damping armature cranklength joint jointinparent tendon slidersite cranksite \
      site refsite"),
    ("actuator/position", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited \
      inheritrange forcerange lengthrange gear damping armature cranklength joint jointinparent tendon \
      slidersite cranksite site refsite kp kv dampratio timeconst"),
    ("actuator/velocity", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited \
      forcerange lengthrange gear damping armature cranklength joint jointinparent tendon slidersite cranksite \
      site refsite kv"),
    ("actuator/intvelocity", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited \
      actlimited forcerange actrange inheritrange lengthrange gear damping armature cranklength joint \
      jointinparent tendon slidersite cranksite site refsite kp kv dampratio"),
    ("actuator/pid", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited posrange \
      velrange ffrange forcerange inheritrange lengthrange gear damping armature cranklength joint \
      jointinparent tendon slidersite cranksite site refsite kp kv dampratio ki imax slewmax input"),
    ("actuator/damper", "name class group nsample interp delay ctrlrange user forcelimited forcerange \
      lengthrange gear damping armature cranklength joint jointinparent tendon slidersite cranksite site \
      refsite kv"),
    ("actuator/cylinder", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited \
      forcerange lengthrange gear damping armature cranklength joint jointinparent tendon slidersite cranksite \
      site refsite timeconst area diameter bias"),
    ("actuator/muscle", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited \
      forcerange lengthrange gear damping armature cranklength joint jointinparent tendon slidersite cranksite \
      timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax"),
    ("actuator/adhesion", "name class group nsample interp delay ctrlrange user forcelimited forcerange body \
      gain"),
    ("sensor", ""),
    ("keyframe", ""),
    ("keyframe/key", "name time qpos qvel act mpos mquat ctrl plastic"),
    ("visual", ""),
    ("?visual/global", "cameraid orthographic fovy ipd azimuth elevation linewidth glow offwidth offheight \
      realtime ellipsoidinertia bvactive"),
    ("?visual/quality", "shadowsize offsamples numslices numstacks numquads"),
    ("?visual/headlight", "ambient diffuse specular active"),
    ("?visual/map", "stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze shadowclip \
      shadowscale actuatortendon"),
    ("?visual/scale", "forcewidth contactwidth contactheight connect com camera light selectpoint jointlength \
      jointwidth actuatorlength actuatorwidth framelength framewidth constraint slidercrank frustum"),
    ("?visual/rgba", "fog haze force inertia joint actuator actuatornegative actuatorpositive com camera light \
      selectpoint connect contactpoint contactforce contactfriction contacttorque contactgap rangefinder \
      constraint slidercrank crankbroken frustum bv bvactive"),
    ("default/default", "class"),
    ("?default/mesh", "scale maxhullvert inertia"),
    ("?default/texture", "type colorspace gridsize gridlayout builtin rgb1 rgb2 mark markrgb random width \
      height hflip vflip nchannel embed"),
    ("?default/material", "texture texrepeat texuniform emission specular shininess reflectance metallic \
      roughness rgba"),
    ("default/material/layer", "texture role"),
    ("?default/joint", "type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit \
      solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref springref \
      springyield armature damping frictionloss user"),
    ("?default/geom", "type contype conaffinity condim group priority size material friction mass density \
      shellinertia solmix solref solimp margin gap surfacevel adhesion fromto pos quat axisangle xyaxes zaxis \
      euler hfield mesh fitscale rgba castshadow fluidshape fluidcoef user"),
    ("?default/site", "type group pos quat axisangle xyaxes zaxis euler material mesh size fromto rgba user"),
    ("?default/camera", "projection fovy ipd resolution output pos quat axisangle xyaxes zaxis euler mode focal \
      focalpixel principal principalpixel sensorsize user"),
    ("?default/light", "directional type castshadow active pos dir bulbradius intensity range attenuation \
      cutoff softness exponent ambient diffuse specular mode"),
    ("?default/pair", "condim friction solref solreffriction solimp gap margin adhesion"),
    ("?default/equality", "active solref solimp"),
    ("?default/tendon", "group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit \
      solreffriction solimpfriction frictionloss springlength springyield width material margin stiffness \
      damping armature rgba user"),
    ("?default/general", "group nsample interp delay ctrlrange user ctrllimited forcelimited actlimited \
      forcerange actrange gear damping armature cranklength actdim input velrange ffrange inheritrange dyntype \
      gaintype biastype dynprm gainprm biasprm actearly"),
    ("?default/motor", "group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange gear \
      damping armature cranklength"),
    ("?default/position", "group nsample interp delay ctrlrange user ctrllimited forcelimited inheritrange \
      forcerange gear damping armature cranklength kp kv dampratio timeconst"),
    ("?default/velocity", "group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange gear \
      damping armature cranklength kv"),
    ("?default/intvelocity", "group nsample interp delay ctrlrange user ctrllimited forcelimited actlimited \
      forcerange actrange inheritrange gear damping armature cranklength kp kv dampratio"),
    ("?default/pid", "group nsample interp delay ctrlrange user ctrllimited forcelimited posrange velrange \
      ffrange forcerange inheritrange gear damping armature cranklength kp kv dampratio ki imax slewmax input"),
    ("?default/damper", "group nsample interp delay ctrlrange user forcelimited forcerange gear damping \
      armature cranklength kv"),
    ("?default/cylinder", "group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange gear \
      damping armature cranklength timeconst area diameter bias"),
    ("?default/muscle", "group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange gear \
      damping armature cranklength timeconst range force scale lmin lmax vmax fpmax fvmax"),
    ("?default/adhesion", "group nsample interp delay ctrlrange user forcelimited forcerange gain"),
    ("custom", ""),
    ("custom/numeric", "name size data"),
    ("custom/text", "name data"),
    ("custom/tuple", "name"),
    ("custom/tuple/element", "objtype objname prm"),
    ("extension", ""),
    ("extension/plugin", "plugin"),
    ("body/frame", "name childclass pos quat axisangle xyaxes zaxis euler scale massscale scaling"),
    ("body/replicate", "childclass count sep offset euler"),
];

/// Sensors: elements, attributes beyond [`SENSOR_COMMON`].
#[rustfmt::skip]
pub const SENSORS: &[(&str, &str)] = &[
    ("touch accelerometer velocimeter gyro force torque magnetometer", "site"),
    ("camprojection", "site camera"),
    ("rangefinder", "site camera data"),
    ("jointpos jointvel jointactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc", "joint"),
    ("tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc", "tendon"),
    ("actuatorpos actuatorvel actuatorfrc", "actuator"),
    ("framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel", "objtype objname reftype refname"),
    ("framelinacc frameangacc", "objtype objname"),
    ("subtreecom subtreelinvel subtreeangmom", "body"),
    ("insidesite", "site objtype objname enclosed"),
    ("distance normal fromto", "geom1 geom2 body1 body2"),
    ("contact", "geom1 geom2 body1 body2 subtree1 subtree2 site num data reduce"),
    ("e_potential e_kinetic clock", ""),
    ("user", "objtype objname datatype needstage dim"),
];
pub const SENSOR_COMMON: &str = "name nsample interp delay interval cutoff noise user";

/// Elements that this engine does not simulate, with the reason.
#[rustfmt::skip]
pub const REFUSED: &[(&str, &str)] = &[
    ("body/flexcomp", "deformable bodies (flexcomp) are not supported"),
    ("body/composite", "composite was removed from MJCF in 4.0; use replicate"),
    ("body/plugin", "body plugins are not supported"),
    ("body/geom/plugin", "geom plugins (signed-distance shapes) are not supported"),
    ("asset/mesh/plugin", "mesh plugins (signed-distance shapes) are not supported"),
    ("deformable/flex", "deformable bodies (flex) are not supported"),
    ("equality/flex", "constraints on deformable bodies (flex) are not supported"),
    ("equality/flexvert", "constraints on deformable bodies (flex) are not supported"),
    ("equality/flexstrain", "constraints on deformable bodies (flex) are not supported"),
    ("actuator/orientation", "orientation servos are not supported"),
    ("actuator/dcmotor", "the DC motor model is not supported; use motor, position or velocity"),
    ("actuator/plugin", "actuator plugins are not supported"),
    ("sensor/tactile", "tactile sensors are not supported"),
    ("sensor/plugin", "sensor plugins are not supported"),
];

/// Elements that are accepted with their contents and ignored.
pub const SKIPPED: &[&str] =
    &["asset/skin", "deformable/skin", "extension/plugin", "default/orientation", "default/dcmotor", "default/plugin"];
