//! Where a code goes in a test: from a table through loops and helpers into an assertion.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, ExprClosure, Macro, Pat, Stmt, Token, UnOp};

use super::sources::{Function, Sources, names};

/// How many helpers, or names of a table, deep a code is followed.
const DEEPEST: usize = 5;

/// What is known while one function is read.
pub struct Scope<'s> {
    sources: &'s Sources,
    function: &'s Function,
    code: &'s str,
    /// Names that hold the code, its constant, or a table of them.
    holders: BTreeSet<String>,
    depth: usize,
}

impl<'s> Scope<'s> {
    /// A test in which only the code itself and its constant say the code.
    pub fn new(sources: &'s Sources, function: &'s Function, code: &'s str) -> Self {
        Self { sources, function, code, holders: BTreeSet::new(), depth: 0 }
    }

    /// Whether tokens name the code, its constant, or what holds one of them.
    fn mentions(&self, tokens: TokenStream) -> bool {
        let mut path: Vec<String> = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        let (mut colons, mut is_member) = (0, false);
        while let Some(token) = tokens.next() {
            match &token {
                TokenTree::Group(group) if self.mentions(group.stream()) => return true,
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let named = |name: &String| {
                        text.contains(&format!("{{{name}}}")) || text.contains(&format!("{{{name}:"))
                    };
                    if text.contains(self.code) || self.holders.iter().any(named) {
                        return true;
                    }
                }
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        path.clear();
                    }
                    path.push(ident.to_string());
                    let called = ident.to_string().starts_with(char::is_lowercase)
                        && matches!(tokens.peek(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                    if !is_member && !called && self.names_it(&path) {
                        return true;
                    }
                }
                _ => {}
            }
            let punctuation = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
            colons = if punctuation == ':' { colons + 1 } else { 0 };
            is_member = punctuation == '.' && !is_member;
        }
        false
    }

    fn names_it(&self, path: &[String]) -> bool {
        let Some(name) = path.last() else { return false };
        if path.len() == 1 && self.holders.contains(name) {
            return true;
        }
        let module = &self.function.module;
        self.sources.is_page(path, module, self.code)
            || self.sources.constant(name, module).is_some_and(|(_, value)| {
                Scope::new(self.sources, self.function, self.code).mentions_literally(value)
            })
    }

    /// Whether a constant's value names code or page, without a look at further constants.
    fn mentions_literally(&self, value: &Expr) -> bool {
        struct Literals<'l>(&'l Scope<'l>, bool);
        impl<'ast> Visit<'ast> for Literals<'_> {
            fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
                self.1 |= literal.value().contains(self.0.code);
            }
            fn visit_path(&mut self, path: &'ast syn::Path) {
                let path: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
                self.1 |= self.0.sources.is_page(&path, &self.0.function.module, self.0.code);
            }
        }
        let mut literals = Literals(self, false);
        literals.visit_expr(value);
        literals.1
    }

    /// Whether an expression is the code, or data with it: a value that a function computes is not, since
    /// what goes into a function is its input and not what it found.
    fn holds(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) | Expr::Path(_) => self.mentions(expr.to_token_stream()),
            Expr::Macro(expr) => {
                let name = last(&expr.mac.path);
                ["vec", "format", "json", "concat"].contains(&name.as_str())
                    && self.mentions(expr.mac.tokens.clone())
            }
            Expr::Array(expr) => expr.elems.iter().any(|e| self.holds(e)),
            Expr::Tuple(expr) => expr.elems.iter().any(|e| self.holds(e)),
            Expr::Repeat(expr) => self.holds(&expr.expr),
            Expr::Reference(expr) => self.holds(&expr.expr),
            Expr::Paren(expr) => self.holds(&expr.expr),
            Expr::Group(expr) => self.holds(&expr.expr),
            Expr::Index(expr) => self.holds(&expr.expr),
            Expr::Field(expr) => self.holds(&expr.base),
            Expr::Unary(expr) => self.holds(&expr.expr),
            Expr::Cast(expr) => self.holds(&expr.expr),
            Expr::Struct(expr) => expr.fields.iter().any(|field| self.holds(&field.expr)),
            Expr::Call(expr) => {
                let Expr::Path(callee) = &*expr.func else { return false };
                let name = last(&callee.path);
                let is_data =
                    name.starts_with(char::is_uppercase) || ["from", "once"].contains(&name.as_str());
                is_data && expr.args.iter().any(|e| self.holds(e))
            }
            Expr::MethodCall(expr) => {
                let joins = ["zip", "chain"].contains(&expr.method.to_string().as_str());
                self.holds(&expr.receiver) || joins && expr.args.iter().any(|e| self.holds(e))
            }
            Expr::If(expr) => {
                self.tail(&expr.then_branch) || expr.else_branch.as_ref().is_some_and(|(_, e)| self.holds(e))
            }
            Expr::Match(expr) => expr.arms.iter().any(|arm| self.holds(&arm.body)),
            Expr::Block(expr) => self.tail(&expr.block),
            _ => false,
        }
    }

    /// The columns of a table of tuples in which the code is; nothing where a value is not written as a table.
    fn columns(&self, value: &Expr, deep: usize) -> Option<BTreeSet<usize>> {
        match value {
            Expr::Reference(value) => self.columns(&value.expr, deep),
            Expr::Paren(value) => self.columns(&value.expr, deep),
            Expr::MethodCall(call) if call.method == "iter" || call.method == "into_iter" => {
                self.columns(&call.receiver, deep)
            }
            Expr::Path(path) if deep < DEEPEST => {
                let name = last(&path.path);
                let constant = || Some(self.sources.constant(&name, &self.function.module)?.1);
                self.columns(value_named(&self.function.body, &name).or_else(constant)?, deep + 1)
            }
            Expr::Array(rows) => {
                let columns = |row: &Expr| match row {
                    Expr::Tuple(row) => {
                        let held = row.elems.iter().enumerate().filter(|(_, value)| self.holds(value));
                        Some(held.map(|(column, _)| column).collect::<Vec<_>>())
                    }
                    _ => None,
                };
                let all: Option<Vec<Vec<usize>>> = rows.elems.iter().map(columns).collect();
                Some(all?.into_iter().flatten().collect())
            }
            _ => None,
        }
    }

    fn tail(&self, block: &Block) -> bool {
        matches!(block.stmts.last(), Some(Stmt::Expr(expr, None)) if self.holds(expr))
    }

    /// Whether a condition that must hold says something of the code: what is denied says nothing.
    fn demands(&self, condition: &Expr) -> bool {
        match condition {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => false,
            Expr::Binary(binary) => match binary.op {
                BinOp::And(_) => self.demands(&binary.left) || self.demands(&binary.right),
                BinOp::Ne(_) => false,
                _ => self.mentions(condition.to_token_stream()),
            },
            _ => self.mentions(condition.to_token_stream()),
        }
    }
}

fn last(path: &syn::Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

/// Whether a function asserts what its scope says of the code.
pub fn asserts(scope: &Scope) -> bool {
    let mut scope = Scope { holders: scope.holders.clone(), ..Scope::of(scope, scope.function) };
    loop {
        let mut spread = Spread { scope: &scope, found: BTreeSet::new() };
        spread.visit_block(&scope.function.body);
        let found = spread.found;
        let known = scope.holders.len();
        scope.holders.extend(found);
        if scope.holders.len() == known {
            break;
        }
    }
    let mut search = Search { scope: &scope, found: false };
    search.visit_block(&scope.function.body);
    search.found
}

impl<'s> Scope<'s> {
    fn of(other: &Scope<'s>, function: &'s Function) -> Self {
        Self { depth: other.depth, ..Scope::new(other.sources, function, other.code) }
    }
}

/// Finds the names that come to hold the code.
struct Spread<'v, 's> {
    scope: &'v Scope<'s>,
    found: BTreeSet<String>,
}

impl Spread<'_, '_> {
    fn bind(&mut self, pattern: &Pat, value: &Expr) {
        if !self.scope.holds(value) {
            return;
        }
        let pattern = if let Pat::Reference(reference) = pattern { &*reference.pat } else { pattern };
        match (pattern, self.scope.columns(value, 0)) {
            (Pat::Tuple(tuple), Some(columns)) => {
                let held = tuple.elems.iter().enumerate().filter(|(column, _)| columns.contains(column));
                self.found.extend(held.flat_map(|(_, pattern)| names(pattern)));
            }
            _ => self.found.extend(names(pattern)),
        }
    }
}

impl<'ast> Visit<'ast> for Spread<'_, '_> {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.bind(&local.pat, &init.expr);
        }
        visit::visit_local(self, local);
    }
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        if self.scope.holds(&item.expr) {
            self.found.insert(item.ident.to_string());
        }
    }
    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        if self.scope.holds(&item.expr) {
            self.found.insert(item.ident.to_string());
        }
    }
    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        self.bind(&each.pat, &each.expr);
        visit::visit_expr_for_loop(self, each);
    }
    fn visit_expr_let(&mut self, binding: &'ast syn::ExprLet) {
        self.bind(&binding.pat, &binding.expr);
        visit::visit_expr_let(self, binding);
    }
    fn visit_expr_match(&mut self, choice: &'ast syn::ExprMatch) {
        for arm in &choice.arms {
            self.bind(&arm.pat, &choice.expr);
        }
        visit::visit_expr_match(self, choice);
    }
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        for argument in &call.args {
            if let Expr::Closure(closure) = argument {
                for input in &closure.inputs {
                    self.bind(input, &call.receiver);
                }
            }
        }
        visit::visit_expr_method_call(self, call);
    }
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let Expr::Path(callee) = &*call.func
            && let Some(closure) = closure_named(&self.scope.function.body, &last(&callee.path))
        {
            for (input, argument) in closure.inputs.iter().zip(&call.args) {
                self.bind(input, argument);
            }
        }
        visit::visit_expr_call(self, call);
    }
    fn visit_macro(&mut self, call: &'ast Macro) {
        for argument in arguments(call) {
            // Parsed here, so it lives shorter than the tree: looked at by a visitor of its own.
            let mut inner = Spread { scope: self.scope, found: BTreeSet::new() };
            inner.visit_expr(&argument);
            self.found.extend(inner.found);
        }
    }
}

/// Looks for an assertion of what holds the code.
struct Search<'v, 's> {
    scope: &'v Scope<'s>,
    found: bool,
}

impl Search<'_, '_> {
    /// A call of a helper: it asserts if it does so with the argument that holds the code, or by itself.
    fn helper(&mut self, name: &str, is_method: bool, arguments: &Punctuated<Expr, Token![,]>) {
        if self.found || self.scope.depth >= DEEPEST {
            return;
        }
        let given: Vec<bool> =
            arguments.iter().map(|argument| self.scope.mentions(argument.to_token_stream())).collect();
        for function in self.scope.sources.named(name, &self.scope.function.module) {
            let own = usize::from(function.parameters.first().is_some_and(|p| p.contains("self")));
            let skipped = if is_method { own } else { 0 };
            let holders: BTreeSet<String> = function
                .parameters
                .iter()
                .skip(skipped)
                .zip(&given)
                .filter(|(_, holds)| **holds)
                .flat_map(|(names, _)| names.iter().cloned())
                .collect();
            let same = function.module == self.scope.function.module;
            if holders.is_empty() && !(same && self.scope.function.is_test) {
                continue;
            }
            let mut scope = Scope::of(self.scope, function);
            scope.holders = holders;
            scope.depth += 1;
            self.found |= asserts(&scope);
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_, '_> {
    fn visit_macro(&mut self, call: &'ast Macro) {
        let arguments = arguments(call);
        let conditions = match last(&call.path).as_str() {
            "assert" | "debug_assert" | "prop_assert" => 1,
            "assert_eq" | "prop_assert_eq" => 2,
            _ => 0,
        };
        self.found |= arguments.iter().take(conditions).any(|condition| self.scope.demands(condition));
        for argument in &arguments {
            let mut inner = Search { scope: self.scope, found: self.found };
            inner.visit_expr(argument);
            self.found = inner.found;
        }
    }
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let Expr::Path(callee) = &*call.func {
            self.helper(&last(&callee.path), false, &call.args);
        }
        visit::visit_expr_call(self, call);
    }
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        if ["unwrap", "expect", "unwrap_or_else", "expect_err", "unwrap_err"].contains(&name.as_str()) {
            let panics = name != "unwrap_or_else" || has_panic(call.args.to_token_stream());
            self.found |= panics && compares(self.scope, &call.receiver);
        }
        self.helper(&name, true, &call.args);
        visit::visit_expr_method_call(self, call);
    }
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init
            && let Some(diverges) = &init.diverge
        {
            self.found |= has_panic(diverges.1.to_token_stream()) && compares(self.scope, &init.expr);
        }
        visit::visit_local(self, local);
    }
}

/// Whether an expression compares something with what holds the code.
fn compares(scope: &Scope, expr: &Expr) -> bool {
    struct Equal<'v, 's>(&'v Scope<'s>, bool);
    impl<'ast> Visit<'ast> for Equal<'_, '_> {
        fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
            if matches!(binary.op, BinOp::Eq(_)) {
                self.1 |= self.0.mentions(binary.to_token_stream());
            }
            visit::visit_expr_binary(self, binary);
        }
    }
    let mut equal = Equal(scope, false);
    equal.visit_expr(expr);
    equal.1
}

fn has_panic(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "panic",
        TokenTree::Group(group) => has_panic(group.stream()),
        _ => false,
    })
}

/// The arguments of a macro that is called as a function is; nothing of others.
fn arguments(call: &Macro) -> Vec<Expr> {
    let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
    parser.parse2(call.tokens.clone()).map(|list| list.into_iter().collect()).unwrap_or_default()
}

/// The value that a block binds to a name.
fn value_named<'b>(block: &'b Block, name: &str) -> Option<&'b Expr> {
    block.stmts.iter().find_map(|statement| match statement {
        Stmt::Local(local) if matches!(&local.pat, Pat::Ident(bound) if bound.ident == name) => {
            local.init.as_ref().map(|init| &*init.expr)
        }
        _ => None,
    })
}

/// The closure that a block binds to a name.
fn closure_named<'b>(block: &'b Block, name: &str) -> Option<&'b ExprClosure> {
    match value_named(block, name) {
        Some(Expr::Closure(closure)) => Some(closure),
        _ => None,
    }
}
