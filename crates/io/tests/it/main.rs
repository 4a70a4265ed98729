mod hfield;
mod mesh;
mod mjcf_actuators;
mod mjcf_defaults;
mod mjcf_errors;
mod mjcf_hardening;
mod mjcf_joining;
mod urdf;
