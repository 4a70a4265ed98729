//! Reads one document, section by section in order of dependency.

use super::keys::{self, AttachedKey, Attachment};
use super::settings::{self, Notation};
use super::world::World;
use super::{actuator, asset, classes, custom, links, schema, sensor};
use crate::error::ReadError;
use crate::files::put_into;
use crate::source::{Source, base_name, dir_name};
use crate::xml::{Element, Tree};
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{Affix, Joining, NameSet};
use saltus_sim::options::Enable;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Maximum nesting of attached models, and maximum number of models read for one.
const MAX_NESTING: usize = 20;
const MAX_CHILDREN: usize = 10_000;

/// A model file named by `<asset><model>`, ready to be attached.
#[derive(Debug)]
struct ChildModel<'a> {
    tree: Tree,
    source: Source<'a>,
    /// Its folder, as seen from that of the model.
    dir: String,
}

/// A model being read.
#[derive(Debug)]
pub struct Reader<'a> {
    source: Source<'a>,
    pub notation: Notation,
    pub spec: ModelSpec,
    children: BTreeMap<String, Rc<ChildModel<'a>>>,
    /// Kinds and names, see [`claim`](Self::claim).
    names: BTreeSet<(String, String)>,
    attached_keys: Vec<AttachedKey>,
    /// Last number given to an attached actuator.
    tags: usize,
    /// Prefixes of the models attached so far.
    prefixes: BTreeSet<String>,
    nesting: usize,
    children_read: Rc<Cell<usize>>,
}

/// The part of the kinematic tree to read.
#[derive(Clone, Copy, Debug)]
enum Part<'t> {
    Everything,
    One(Element<'t>),
}

/// Reads a whole document.
pub fn read(source: Source, tree: &Tree) -> Result<ModelSpec, ReadError> {
    schema::check(tree)?;
    let mut reader = Reader::new(source, 0, Rc::default());
    reader.read(tree, Part::Everything)?;
    super::unique::check(&reader.spec)?;
    Ok(reader.spec)
}

impl<'a> Reader<'a> {
    fn new(source: Source<'a>, nesting: usize, children_read: Rc<Cell<usize>>) -> Self {
        Self {
            source,
            notation: Notation::default(),
            spec: ModelSpec::new("MuJoCo Model"),
            children: BTreeMap::new(),
            names: BTreeSet::new(),
            attached_keys: Vec::new(),
            tags: 0,
            prefixes: BTreeSet::new(),
            nesting,
            children_read,
        }
    }

    fn read(&mut self, tree: &Tree, part: Part) -> Result<(), ReadError> {
        let root = tree.root();
        root.string("model", &mut self.spec.name);
        for e in root.all("compiler") {
            settings::compiler(e, &mut self.spec.compiler, &mut self.notation)?;
        }
        for e in root.children() {
            match e.tag() {
                "option" => {
                    settings::option(e, &mut self.spec.options)?;
                    if self.spec.options.enable.has(Enable::SLEEP) {
                        let warning = format!("{}: sleep is enabled, but all bodies stay awake", e.place());
                        self.spec.warnings.push(warning);
                    }
                }
                "size" => settings::size(e, &mut self.spec.size)?,
                "statistic" => settings::statistic(e, &mut self.spec.statistic)?,
                "visual" => settings::visual(e, &mut self.spec),
                "default" => classes::read(e, &self.notation, &mut self.spec.defaults)?,
                "extension" => e.children().for_each(|plugin| {
                    let name = plugin.text("plugin").unwrap_or("?");
                    self.spec.warnings.push(format!("{}: plugin {name:?} is ignored", plugin.place()));
                }),
                _ => {}
            }
        }
        // Assets first, and the tree last: replicas and attachments copy the elements that refer to
        // them.
        for section in ["asset", "custom", "contact", "equality", "tendon", "actuator", "sensor"] {
            for e in root.all(section).flat_map(Element::children) {
                self.element(section, e)?;
            }
        }
        match part {
            Part::Everything => {
                let worlds: Vec<_> = root.all("worldbody").map(|e| (e, 0)).collect();
                World::read(self, &worlds)?;
            }
            Part::One(e) => {
                let class = self.class_around(e)?;
                World::read(self, &[(e, class)])?;
            }
        }
        for e in root.all("keyframe").flat_map(Element::children) {
            self.spec.keys.push(custom::key(e)?);
        }
        let attached = std::mem::take(&mut self.attached_keys);
        let attached: Vec<_> = attached.into_iter().map(|key| key.assemble(&self.spec)).collect();
        self.spec.keys.extend(attached);
        keys::untag(&mut self.spec.actuators);
        for class in &mut self.spec.defaults.classes {
            super::body_parts::to_radians(&mut class.joint, &self.notation);
        }
        Ok(())
    }

    /// The default class that applies at the position of an element.
    fn class_around(&self, e: Element) -> Result<usize, ReadError> {
        let around = std::iter::successors(e.parent(), |p| p.parent());
        match around.into_iter().find(|p| p.text("childclass").is_some()) {
            Some(p) => classes::index(p, "childclass", &self.spec.defaults, 0),
            None => Ok(0),
        }
    }

    fn element(&mut self, section: &str, e: Element) -> Result<(), ReadError> {
        let class = || classes::of(e, &self.spec.defaults, 0);
        match (section, e.tag()) {
            ("asset", "mesh") => {
                let mut x = class()?.mesh.clone();
                asset::mesh(e, &self.notation, &self.source, &mut x)?;
                self.spec.meshes.push(x);
            }
            ("asset", "hfield") => {
                let x = asset::height_field(e, &self.notation, &self.source)?;
                self.spec.hfields.push(x);
            }
            ("asset", "texture") => {
                let x = asset::texture(e, &self.notation, &self.source)?;
                self.claim(e, "texture", &x.name)?;
                self.spec.textures.push(x);
            }
            ("asset", "material") => {
                let mut x = class()?.material.clone();
                asset::material(e, &mut x)?;
                if x.name.is_empty() {
                    return Err(e.error("needs a name"));
                }
                self.claim(e, "material", &x.name)?;
                self.spec.materials.push(x);
            }
            ("asset", "model") => self.model(e)?,
            ("asset", _) => {}
            ("custom", kind) => {
                self.claim(e, kind, e.text("name").unwrap_or_default())?;
                custom::custom(e, &mut self.spec)?;
            }
            ("contact", "pair") => {
                let mut x = class()?.pair.clone();
                links::pair(e, &mut x)?;
                x.place = e.place();
                for (name, value) in [("geom1", &x.geom1), ("geom2", &x.geom2)] {
                    if value.is_empty() {
                        return Err(e.attribute_error(name, "required but not given"));
                    }
                }
                self.spec.pairs.push(x);
            }
            ("contact", _) => self.spec.excludes.push(links::exclude(e)?),
            ("equality", _) => {
                let mut x = class()?.equality.clone();
                links::equality_common(e, &mut x)?;
                x.kind = links::equality_kind(e)?;
                x.place = e.place();
                self.spec.equalities.push(x);
            }
            ("tendon", _) => {
                let mut x = class()?.tendon.clone();
                links::tendon(e, &mut x)?;
                x.path = links::tendon_path(e)?;
                x.place = e.place();
                self.spec.tendons.push(x);
            }
            ("actuator", _) => {
                let mut x = class()?.actuator.clone();
                actuator::actuator(e, &mut x)?;
                self.spec.actuators.push(actuator::finish(e, x)?);
            }
            _ => self.spec.sensors.push(sensor::sensor(e)?),
        }
        Ok(())
    }

    /// Loads the document of a model that may be attached.
    fn model(&mut self, e: Element) -> Result<(), ReadError> {
        if self.nesting >= MAX_NESTING {
            return Err(e.error(format!("attached models are nested deeper than {MAX_NESTING}")));
        }
        e.keyword("content_type", &[("text/xml", ())], &mut ())?;
        let file = e.required("file")?;
        let dir = dir_name(&file).to_owned();
        let source = self.source.inside(&dir);
        let text = self.source.read_text(&file).map_err(|message| e.attribute_error("file", message))?;
        let tree = Tree::load(&source, base_name(&file), &text)?;
        schema::check(&tree)?;
        let name = e.text("name").or(tree.root().text("model")).unwrap_or("MuJoCo Model").to_owned();
        if self.children.insert(name.clone(), Rc::new(ChildModel { tree, source, dir })).is_some() {
            return Err(e.attribute_error("name", format!("there is already a model {name:?}")));
        }
        Ok(())
    }

    /// Reads the part of a child model that an `<attach>` selects, and the complete child model if
    /// keyframes need it.
    pub fn child(&mut self, e: Element, model: &str) -> Result<(ModelSpec, Option<ModelSpec>), ReadError> {
        let Some(child) = self.children.get(model).cloned() else {
            let known: Vec<_> = self.children.keys().map(String::as_str).collect();
            let message = format!("there is no model asset {model:?}; there are: {}", known.join(", "));
            return Err(e.attribute_error("model", message));
        };
        self.children_read.set(self.children_read.get() + 1);
        if self.children_read.get() > MAX_CHILDREN {
            return Err(e.error(format!("more than {MAX_CHILDREN} models are attached")));
        }
        let named = ["body", "frame"].into_iter().find_map(|tag| e.text(tag).map(|name| (tag, name)));
        let part = match named {
            None => Part::Everything,
            Some((tag, name)) => Part::One(
                find(&child.tree, tag, name)
                    .ok_or_else(|| e.attribute_error(tag, format!("model {model:?} has no {tag} {name:?}")))?,
            ),
        };
        let read = |part| {
            let mut reader = Reader::new(child.source.clone(), self.nesting + 1, self.children_read.clone());
            reader.read(&child.tree, part)?;
            put_into(&mut reader.spec, &child.dir);
            Ok::<_, ReadError>(reader.spec)
        };
        let spec = read(part)?;
        let keys_elsewhere = matches!(part, Part::One(_)) && !spec.keys.is_empty();
        let whole = if keys_elsewhere { Some(read(Part::Everything)?) } else { None };
        Ok((spec, whole))
    }

    /// Adopts everything of an attached model except its bodies, which are already in the tree.
    /// `whole` is that model, `part` the attached part of it, `host` the names in the tree.
    pub fn adopt(
        &mut self,
        e: Element,
        whole: &ModelSpec,
        part: &ModelSpec,
        affix: &Affix,
        host: &dyn Fn() -> NameSet,
        mut to: Attachment,
    ) -> Result<(), ReadError> {
        let is_whole = e.text("body").is_none() && e.text("frame").is_none();
        self.spec.attach_assets(part, affix);
        self.spec.attach_classes(part, affix);
        self.spec.warnings.extend(part.warnings.iter().cloned());
        let piece = NameSet::of_bodies(&part.bodies);
        let again = !self.prefixes.insert(affix.prefix.clone());
        let copies = self.spec.copied_references(part, Joining { affix, piece, host, whole: is_whole, again });
        let copies = self.spec.add_references(copies);
        if !whole.keys.is_empty() {
            for (index, copy) in copies.into_iter().enumerate().filter_map(|(index, copy)| Some((index, copy?))) {
                self.tags += 1;
                keys::tag(&mut self.spec.actuators[copy], self.tags);
                to.actuators.push((index, self.tags));
            }
        }
        for key in &whole.keys {
            self.attached_keys.push(keys::split(e, whole, part, key, &to)?);
        }
        Ok(())
    }

    /// Copies the elements that refer to replicated ones; the first replica is at `first` in the
    /// piece below `level`.
    pub fn replicated(
        &mut self,
        e: Element,
        set: NameSet,
        affixes: &[Affix],
        first: usize,
        level: usize,
    ) -> Result<(), ReadError> {
        self.attached_keys.iter_mut().for_each(|key| key.lower(level, first));
        self.spec.replicate_references(set, affixes).map_err(|error| e.error(error.to_string()))
    }

    /// Copies the elements that refer to others copied within this model.
    pub fn copy_references(&mut self, set: NameSet, affix: &Affix) {
        self.spec.copy_references(set, affix);
    }

    /// Records the name of an element that is not represented in the spec; duplicate names are an
    /// error.
    pub fn claim(&mut self, e: Element, kind: &str, name: &str) -> Result<(), ReadError> {
        if !name.is_empty() && !self.names.insert((kind.to_owned(), name.to_owned())) {
            return Err(e.attribute_error("name", format!("there is already a {kind} of this name")));
        }
        Ok(())
    }
}

/// The body or frame with this name in a document.
fn find<'t>(tree: &'t Tree, tag: &str, name: &str) -> Option<Element<'t>> {
    let mut stack: Vec<_> = tree.root().all("worldbody").collect();
    while let Some(e) = stack.pop() {
        if e.tag() == tag && e.text("name") == Some(name) {
            return Some(e);
        }
        stack.extend(e.children());
    }
    None
}
