//! The printer: a tree back to text, in one canonical layout and without comments.
//!
//! Parsing what it prints gives the same tree but for the spans (see [`crate::same_tree`]). The words
//! come from the interner; numbers and strings are taken from the source as they were written. To tidy
//! a file that people edit, use [`crate::fmt`], which keeps comments.

mod expression;
mod function;

use crate::ast::{
    Align, Argument, Attribute, DebugItem, DebugItemKind, Declaration, Declarator, Directive, File,
    Initializer, InitializerKind, Item, ItemKind, LinkageKind, List, Name, Section, SpaceKind, Span, Symbol,
};

/// Deeper blocks are not indented further, or a file of braces would grow with the square of its length.
pub(crate) const MAX_INDENT: usize = 24;

/// Prints `file`, which was parsed from `source`.
#[must_use]
pub fn print(file: &File, source: &str) -> String {
    let out = String::with_capacity(source.len());
    let mut printer = Printer { file, source, out, steps: Vec::new() };
    let mut before = None;
    for item in &file.items {
        printer.blank_line(before, item);
        printer.item(item);
        before = Some(item);
    }
    printer.out
}

struct Printer<'f> {
    file: &'f File,
    source: &'f str,
    out: String,
    /// What is left to print of the expression at hand.
    steps: Vec<expression::PrintStep>,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn word(&mut self, symbol: Symbol) {
        let file = self.file;
        self.put(file.text(symbol));
    }

    fn name(&mut self, name: Name) {
        self.word(name.symbol);
    }

    /// `.word`
    fn dotted(&mut self, symbol: Symbol) {
        self.out.push('.');
        self.word(symbol);
    }

    /// The source as it was written.
    fn verbatim(&mut self, span: Span) {
        let source = self.source;
        self.put(span.text(source));
    }

    /// Prints the elements with `, ` between them.
    fn separated<T: Copy>(&mut self, elements: &[T], mut print: impl FnMut(&mut Self, T)) {
        for (i, &element) in elements.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            print(self, element);
        }
    }

    /// An empty line around functions and sections, and after the directives that open the file.
    fn blank_line(&mut self, before: Option<&Item>, item: &Item) {
        let large = |kind: ItemKind| matches!(kind, ItemKind::Function(_) | ItemKind::Section(_));
        let header = |kind: ItemKind| {
            matches!(kind, ItemKind::Version { .. } | ItemKind::Target(_) | ItemKind::AddressSize(_))
        };
        if let Some(before) = before
            && (large(before.kind) || large(item.kind) || header(before.kind) != header(item.kind))
        {
            self.out.push('\n');
        }
    }

    fn item(&mut self, item: &Item) {
        let file = self.file;
        match item.kind {
            ItemKind::Version { number } => {
                self.put(".version ");
                self.verbatim(number);
            }
            ItemKind::Target(names) => {
                self.put(".target ");
                self.separated(&file[names], Self::name);
            }
            ItemKind::AddressSize(size) => {
                self.put(".address_size ");
                self.expression(size);
            }
            ItemKind::Variable(id) => self.declaration(&file[id]),
            ItemKind::Function(id) => self.function(&file[id]),
            ItemKind::Alias { name, aliasee } => {
                self.put(".alias ");
                self.separated(&[name, aliasee], Self::name);
                self.out.push(';');
            }
            ItemKind::Directive(id) => self.directive(&file[id]),
            ItemKind::Section(id) => self.section(&file[id]),
            ItemKind::Dwarf(items) => self.dwarf(&file[items], item.span),
        }
        self.out.push('\n');
    }

    fn linkage(&mut self, linkage: Option<crate::ast::Linkage>) {
        self.put(match linkage.map(|linkage| linkage.kind) {
            None => "",
            Some(LinkageKind::Extern) => ".extern ",
            Some(LinkageKind::Visible) => ".visible ",
            Some(LinkageKind::Weak) => ".weak ",
            Some(LinkageKind::Common) => ".common ",
        });
    }

    /// A variable's declaration with its `;`.
    fn declaration(&mut self, declaration: &Declaration) {
        let file = self.file;
        self.specifiers(declaration);
        if !declaration.declarators.is_empty() {
            self.out.push(' ');
        }
        for (i, declarator) in file[declaration.declarators].iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            self.declarator(declarator);
        }
        self.out.push(';');
    }

    /// What stands before the names of a declaration.
    fn specifiers(&mut self, declaration: &Declaration) {
        let file = self.file;
        self.linkage(declaration.linkage);
        self.put(match declaration.space.kind {
            SpaceKind::Reg => ".reg",
            SpaceKind::Const => ".const",
            SpaceKind::Global => ".global",
            SpaceKind::Local => ".local",
            SpaceKind::Param => ".param",
            SpaceKind::Shared => ".shared",
            SpaceKind::Tex => ".tex",
        });
        if let Some(bank) = declaration.space.bank {
            self.put(&format!("[{bank}]"));
        }
        // Attributes and alignments hold expressions, whose order is part of the tree.
        let mut attributes = file[declaration.attributes].iter().peekable();
        let aligns = file[declaration.overridden_aligns].iter().chain(&declaration.align);
        for align in aligns {
            while let Some(attribute) =
                attributes.next_if(|attribute| attribute.span.start < align.span.start)
            {
                self.attributes(std::slice::from_ref(attribute));
            }
            self.align(Some(*align));
        }
        for attribute in attributes {
            self.attributes(std::slice::from_ref(attribute));
        }
        if let Some(vector) = declaration.vector {
            self.out.push(' ');
            self.dotted(vector.symbol);
        }
        self.out.push(' ');
        self.dotted(declaration.ty.symbol);
        if let Some(pointer) = declaration.pointer {
            self.put(" .ptr");
            if let Some(space) = pointer.space {
                self.out.push(' ');
                self.dotted(space.symbol);
            }
            self.align(pointer.align);
        }
        self.align(declaration.align_after_type);
    }

    fn align(&mut self, align: Option<Align>) {
        if let Some(align) = align {
            self.put(" .align ");
            self.expression(align.value);
        }
    }

    /// ` .attribute(…)`; in a declaration a list of them means the same as one after the other.
    fn attributes(&mut self, attributes: &[Attribute]) {
        let file = self.file;
        self.put(" .attribute(");
        self.separated(attributes, |printer, attribute| {
            printer.dotted(attribute.name.symbol);
            if !attribute.arguments.is_empty() {
                printer.out.push('(');
                printer.separated(&file[attribute.arguments], Self::argument);
                printer.out.push(')');
            }
        });
        self.out.push(')');
    }

    fn argument(&mut self, argument: Argument) {
        match argument {
            Argument::Expression(id) => self.expression(id),
            Argument::Text(text) => self.verbatim(text.span),
        }
    }

    fn declarator(&mut self, declarator: &Declarator) {
        let file = self.file;
        self.name(declarator.name);
        self.count(declarator.count);
        for dimension in &file[declarator.dimensions] {
            self.out.push('[');
            if let Some(size) = dimension.size {
                self.expression(size);
            }
            self.out.push(']');
        }
        if !declarator.initializer.is_empty() {
            self.put(" = ");
            self.initializer(declarator.initializer);
        }
    }

    fn count(&mut self, count: Option<crate::ast::ExpressionId>) {
        if let Some(count) = count {
            self.out.push('<');
            self.expression(count);
            self.out.push('>');
        }
    }

    fn initializer(&mut self, list: List<Initializer>) {
        let file = self.file;
        // Whether the next mark is another element, and whether a mask's parenthesis is open.
        let mut comma = false;
        let mut masked = false;
        for (i, mark) in file[list].iter().enumerate() {
            let offset_follows =
                matches!(file[list].get(i + 1).map(|next| next.kind), Some(InitializerKind::Offset(_)));
            if comma && !matches!(mark.kind, InitializerKind::Close | InitializerKind::Offset(_)) {
                self.put(", ");
            }
            comma = true;
            match mark.kind {
                InitializerKind::Open => {
                    self.out.push('{');
                    comma = false;
                }
                InitializerKind::Close => self.out.push('}'),
                InitializerKind::Integer(value) => self.put(&value.to_string()),
                InitializerKind::Expression(id) => self.expression(id),
                InitializerKind::Name(name) => self.word(name),
                InitializerKind::Generic(name) => {
                    self.put("generic(");
                    self.word(name);
                    self.out.push(')');
                }
                InitializerKind::Offset(id) => {
                    self.out.push('+');
                    self.expression(id);
                }
                InitializerKind::Mask(id) => {
                    self.expression(id);
                    self.out.push('(');
                    masked = true;
                    comma = false;
                    continue;
                }
                InitializerKind::Field(name) => {
                    self.word(name);
                    self.put(" = ");
                    comma = false;
                    continue;
                }
            }
            if masked && !offset_follows {
                self.out.push(')');
                masked = false;
            }
        }
    }

    /// A directive of a word and arguments. `.file` has no comma before its name and no `;`, `.loc_intermediate` no comma.
    fn directive(&mut self, directive: &Directive) {
        let file = self.file;
        self.dotted(directive.name.symbol);
        let arguments = &file[directive.arguments];
        match (file.text(directive.name.symbol), arguments) {
            ("file", [number, rest @ ..]) => {
                self.out.push(' ');
                self.argument(*number);
                self.out.push(' ');
                self.separated(rest, Self::argument);
            }
            ("loc_intermediate", numbers) => {
                for number in numbers {
                    self.out.push(' ');
                    self.argument(*number);
                }
            }
            (_, []) => {}
            (word, _) => {
                self.out.push(' ');
                self.separated(arguments, Self::argument);
                if word == "pragma" {
                    self.out.push(';');
                }
            }
        }
    }

    fn section(&mut self, section: &Section) {
        let file = self.file;
        self.put(".section ");
        self.name(section.name);
        self.put("\n{\n");
        self.debug_items(&file[section.items]);
        self.put("}");
    }

    fn debug_items(&mut self, items: &[DebugItem]) {
        let mut values = 0;
        let mut line_open = false;
        for item in items {
            if matches!(item.kind, DebugItemKind::Label(_) | DebugItemKind::Data(_)) && line_open {
                self.out.push('\n');
            }
            match item.kind {
                DebugItemKind::Label(name) => {
                    self.word(name);
                    self.out.push(':');
                    line_open = true;
                    continue;
                }
                DebugItemKind::Data(word) => {
                    self.out.push('\t');
                    self.dotted(word);
                    line_open = true;
                    values = 0;
                    continue;
                }
                DebugItemKind::Offset(id) => {
                    self.out.push('+');
                    self.expression(id);
                    continue;
                }
                DebugItemKind::Minus(name) => {
                    self.out.push('-');
                    self.word(name);
                    continue;
                }
                DebugItemKind::Integer(_) | DebugItemKind::Expression(_) | DebugItemKind::Name(_) => {}
            }
            self.put(if values == 0 { " " } else { ", " });
            values += 1;
            match item.kind {
                DebugItemKind::Integer(value) => self.put(&value.to_string()),
                DebugItemKind::Expression(id) => self.expression(id),
                DebugItemKind::Name(name) => self.word(name),
                _ => {}
            }
        }
        if line_open {
            self.out.push('\n');
        }
    }

    /// `@@DWARF …`; the flags of a section are taken as they were written.
    fn dwarf(&mut self, items: &[DebugItem], span: Span) {
        self.put("@@DWARF ");
        let start = items.first().map_or(span.end, |item| item.span.start);
        self.verbatim(Span::new(start, span.end));
    }
}
