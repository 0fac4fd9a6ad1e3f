//! The functions, constants and pages of all crates and of their tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use quote::ToTokens;
use syn::{Attribute, Block, Expr, FnArg, Item, Pat, Signature, UseTree};

/// A function of the sources.
pub struct Function {
    /// Module and name; those of `tests/it` without the name of the binary, those of a crate below `crates` with
    /// its name.
    pub path: String,
    pub module: String,
    pub is_test: bool,
    /// Whether it is built for tests only.
    pub of_tests: bool,
    /// The names of its parameters, `self` among them.
    pub parameters: Vec<BTreeSet<String>>,
    pub body: Block,
}

/// Everything that was read.
#[derive(Default)]
pub struct Sources {
    functions: Vec<Function>,
    by_name: BTreeMap<String, Vec<usize>>,
    /// Constants of test code by name, with their module.
    constants: BTreeMap<String, Vec<(String, Expr)>>,
    /// Pages by the name of their static, with module and code.
    pages: BTreeMap<String, Vec<(String, String)>>,
    /// The imports of each module: the name, `*` for all, and the path before it.
    imports: BTreeMap<String, Vec<(String, String)>>,
}

impl Sources {
    /// Reads `src`, `tests` and `crates` below `root`.
    pub fn read(root: &Path) -> Self {
        let mut all = Self::default();
        for folder in ["src", "tests", "crates"] {
            for entry in walkdir::WalkDir::new(root.join(folder)).sort_by_file_name() {
                let path = entry.unwrap().into_path();
                if path.extension().is_some_and(|extension| extension == "rs") {
                    all.add(path.strip_prefix(root).unwrap(), &std::fs::read_to_string(&path).unwrap());
                }
            }
        }
        all
    }

    /// Takes in a file, which is named from the root of the repository.
    pub fn add(&mut self, path: &Path, text: &str) {
        let file = syn::parse_file(text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let of_tests = path.starts_with("tests");
        let module = module_of(path);
        let of_tests = of_tests || module.split("::").any(|part| part == "tests");
        self.take(&module, of_tests, &file.items);
    }

    /// All functions.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter()
    }

    /// The functions of tests that a call of `name` in `module` may mean: those of the module, else all.
    pub fn named<'s>(&'s self, name: &str, module: &str) -> Vec<&'s Function> {
        let indexes = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let all = indexes.iter().map(|index| &self.functions[*index]).filter(|f| f.of_tests);
        let (near, far): (Vec<_>, Vec<_>) = all.partition(|function| function.module == module);
        if near.is_empty() { far } else { near }
    }

    /// The value of a constant of test code as seen from `module`.
    pub fn constant(&self, name: &str, module: &str) -> Option<(&str, &Expr)> {
        let all = self.constants.get(name)?;
        let (near, value) = all.iter().max_by_key(|(at, _)| shared(at, module))?;
        Some((near, value))
    }

    /// Whether the static at the end of `path` is the constant of `code` for a reader in `module`. Many pages of
    /// different modules have the same name: of those that the path or an import may mean, the nearest counts.
    pub fn is_page(&self, path: &[String], module: &str, code: &str) -> bool {
        let Some((name, qualifiers)) = path.split_last() else { return false };
        let Some(all) = self.pages.get(name) else { return false };
        let written = without_roots(qualifiers.iter().map(String::as_str));
        let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
        let imports = [module, parent].into_iter().filter_map(|at| self.imports.get(at)).flatten();
        let (named, all_of): (Vec<_>, Vec<_>) = imports
            .filter(|(import, _)| import == name || import == "*")
            .partition(|(import, _)| import == name);
        let is_own = self.constants.get(name).is_some_and(|found| found.iter().any(|(at, _)| at == module));
        let meant = all.iter().filter(|(at, _)| {
            let ends = |path: &str| !path.is_empty() && (at == path || at.ends_with(&format!("::{path}")));
            match named.first() {
                _ if !qualifiers.is_empty() => ends(&written),
                _ if is_own => false,
                Some((_, path)) => ends(path),
                None => module.starts_with(at.as_str()) || all_of.iter().any(|(_, path)| ends(path)),
            }
        });
        let meant: Vec<_> = meant.collect();
        let nearest = meant.iter().map(|(at, _)| shared(at, module)).max();
        let mut nearest = meant.iter().filter(|(at, _)| Some(shared(at, module)) == nearest).peekable();
        nearest.peek().is_some() && nearest.all(|(_, found)| found == code)
    }

    fn take(&mut self, module: &str, of_tests: bool, items: &[Item]) {
        for item in items {
            match item {
                Item::Fn(item) => self.function(module, of_tests, &item.attrs, &item.sig, &item.block),
                Item::Impl(item) => {
                    for item in &item.items {
                        if let syn::ImplItem::Fn(item) = item {
                            self.function(module, of_tests, &item.attrs, &item.sig, &item.block);
                        }
                    }
                }
                Item::Mod(item) => {
                    let name = item.ident.to_string();
                    let of_tests = of_tests || name == "tests";
                    if let Some((_, items)) = &item.content {
                        self.take(&join(module, &name), of_tests, items);
                    }
                }
                Item::Const(item) => {
                    self.constant_item(module, of_tests, &item.ident.to_string(), &item.expr);
                }
                Item::Use(item) => {
                    let imports = self.imports.entry(module.to_owned()).or_default();
                    imported(&item.tree, &mut Vec::new(), imports);
                }
                Item::Static(item) => {
                    self.constant_item(module, of_tests, &item.ident.to_string(), &item.expr);
                }
                _ => {}
            }
        }
    }

    fn function(
        &mut self,
        module: &str,
        of_tests: bool,
        attributes: &[Attribute],
        signature: &Signature,
        body: &Block,
    ) {
        let is_test = attributes
            .iter()
            .any(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "test"));
        let parameters = signature.inputs.iter().map(|input| match input {
            FnArg::Receiver(_) => BTreeSet::from(["self".to_owned()]),
            FnArg::Typed(typed) => names(&typed.pat),
        });
        self.by_name.entry(signature.ident.to_string()).or_default().push(self.functions.len());
        self.functions.push(Function {
            path: join(module, &signature.ident.to_string()),
            module: module.to_owned(),
            is_test,
            of_tests: of_tests || is_test,
            parameters: parameters.collect(),
            body: body.clone(),
        });
    }

    fn constant_item(&mut self, module: &str, of_tests: bool, name: &str, value: &Expr) {
        if of_tests {
            self.constants.entry(name.to_owned()).or_default().push((module.to_owned(), value.clone()));
            return;
        }
        let text = value.to_token_stream().to_string();
        if let [code] = codes_in(&text)[..] {
            self.pages.entry(name.to_owned()).or_default().push((module.to_owned(), code.to_owned()));
        }
    }
}

/// The string literals of a text that are codes and nothing else.
fn codes_in(text: &str) -> Vec<&str> {
    text.split('"')
        .filter(|part| {
            part.strip_prefix("LF")
                .is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()))
        })
        .collect()
}

/// A path without the names that only say where it begins.
fn without_roots<'p>(path: impl Iterator<Item = &'p str>) -> String {
    let parts = path.filter(|part| !["super", "crate", "self", "landfall"].contains(part));
    parts.map(|part| part.trim_start_matches("landfall_")).collect::<Vec<_>>().join("::")
}

/// Every name that an import brings, `*` for all, with the path before it.
fn imported(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<(String, String)>) {
    let before = |path: &[String]| without_roots(path.iter().map(String::as_str));
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            imported(&part.tree, path, found);
            path.pop();
        }
        UseTree::Name(name) => found.push((name.ident.to_string(), before(path))),
        UseTree::Rename(name) => found.push((name.rename.to_string(), before(path))),
        UseTree::Glob(_) => found.push(("*".to_owned(), before(path))),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, path, found)),
    }
}

/// The names that a pattern binds.
pub fn names(pattern: &Pat) -> BTreeSet<String> {
    struct Bound(BTreeSet<String>);
    impl<'ast> syn::visit::Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.insert(pattern.ident.to_string());
            syn::visit::visit_pat_ident(self, pattern);
        }
    }
    let mut bound = Bound(BTreeSet::new());
    syn::visit::Visit::visit_pat(&mut bound, pattern);
    bound.0
}

/// The module of a file below `src` or `tests`; `tests/it` is the root of its own.
fn module_of(path: &Path) -> String {
    let path = path.with_extension("");
    let mut parts: Vec<String> = path
        .iter()
        .map(|part| part.to_string_lossy().replace('-', "_"))
        .filter(|part| part != "src")
        .collect();
    if ["crates", "tests"].contains(&parts[0].as_str()) {
        parts.remove(0);
    }
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    if path.starts_with("tests") && parts.first().is_some_and(|first| first == "it") {
        parts.remove(0);
    }
    parts.join("::")
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

/// How many modules two paths have in common from the root.
fn shared(one: &str, other: &str) -> usize {
    one.split("::").zip(other.split("::")).take_while(|(a, b)| a == b).count()
}
