//! Published planning problems of inverse dynamics trajectory optimization \[Kurtz2023\], and their
//! models.

pub const TASKS: [(&str, &str); 11] = [
    ("idto-pendulum", include_str!("../tasks/idto/pendulum.toml")),
    ("idto-acrobot", include_str!("../tasks/idto/acrobot.toml")),
    ("idto-spinner", include_str!("../tasks/idto/spinner.toml")),
    ("idto-hopper", include_str!("../tasks/idto/hopper.toml")),
    ("idto-airhockey", include_str!("../tasks/idto/airhockey.toml")),
    ("idto-mini_cheetah", include_str!("../tasks/idto/mini_cheetah.toml")),
    ("idto-allegro_hand", include_str!("../tasks/idto/allegro_hand.toml")),
    ("idto-jaco", include_str!("../tasks/idto/jaco.toml")),
    ("idto-dual_jaco", include_str!("../tasks/idto/dual_jaco.toml")),
    ("idto-jaco_ball", include_str!("../tasks/idto/jaco_ball.toml")),
    ("idto-punyo", include_str!("../tasks/idto/punyo.toml")),
];

pub const MODELS: [(&str, &str); 9] = [
    ("idto/pendulum", include_str!("../models/idto/pendulum.xml")),
    ("idto/acrobot", include_str!("../models/idto/acrobot.xml")),
    ("idto/airhockey", include_str!("../models/idto/airhockey.xml")),
    ("idto/mini_cheetah", include_str!("../models/idto/mini_cheetah.xml")),
    ("idto/allegro_hand", include_str!("../models/idto/allegro_hand.xml")),
    ("idto/jaco", include_str!("../models/idto/jaco.xml")),
    ("idto/dual_jaco", include_str!("../models/idto/dual_jaco.xml")),
    ("idto/jaco_ball", include_str!("../models/idto/jaco_ball.xml")),
    ("idto/punyo", include_str!("../models/idto/punyo.xml")),
];
