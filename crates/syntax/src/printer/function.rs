//! Functions and statements as text: labels at the margin, everything else one tab deeper than its
//! block.

use super::{MAX_INDENT, Printer};
use crate::ast::{
    Body, Function, FunctionKind, Instruction, Loc, Parameters, Position, Prototype, Statement,
    StatementKind, TargetList, TargetListKind,
};

impl Printer<'_> {
    /// A function without the line end after it.
    pub(super) fn function(&mut self, function: &Function) {
        let file = self.file;
        self.linkage(function.linkage);
        self.put(if function.kind == FunctionKind::Entry { ".entry" } else { ".func" });
        if !function.attributes.is_empty() {
            self.attributes(&file[function.attributes]);
        }
        if let Some(returns) = function.returns {
            self.out.push(' ');
            self.parameters(returns, false);
        }
        self.out.push(' ');
        self.name(function.name);
        if let Some(parameters) = function.parameters {
            self.parameters(parameters, function.body.is_some());
        }
        for directive in &file[function.directives] {
            self.out.push(if function.body.is_some() { '\n' } else { ' ' });
            self.directive(directive);
        }
        match function.body {
            Some(body) => self.body(body),
            None => self.out.push(';'),
        }
    }

    /// `(…)`, each parameter on a line of its own if `broken`.
    fn parameters(&mut self, parameters: Parameters, broken: bool) {
        let file = self.file;
        let broken = broken && !parameters.list.is_empty();
        self.out.push('(');
        for (i, parameter) in file[parameters.list].iter().enumerate() {
            self.put(match (broken, i) {
                (true, 0) => "\n\t",
                (true, _) => ",\n\t",
                (false, 0) => "",
                (false, _) => ", ",
            });
            self.specifiers(parameter);
            self.out.push(' ');
            for declarator in &file[parameter.declarators] {
                self.declarator(declarator);
            }
        }
        self.put(if broken { "\n)" } else { ")" });
    }

    fn body(&mut self, body: Body) {
        let file = self.file;
        self.put("\n{\n");
        let mut depth = 1;
        for statement in &file[body.statements] {
            if matches!(statement.kind, StatementKind::Close) {
                depth -= 1;
            }
            self.statement(statement, depth);
            if matches!(statement.kind, StatementKind::Open { .. }) {
                depth += 1;
            }
        }
        self.out.push('}');
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let file = self.file;
        let margin = matches!(
            statement.kind,
            StatementKind::Label(_) | StatementKind::Targets(_) | StatementKind::Prototype(_)
        );
        if !margin {
            self.out.extend(std::iter::repeat_n('\t', depth.min(MAX_INDENT)));
        }
        match statement.kind {
            StatementKind::Label(name) => {
                self.word(name);
                self.out.push(':');
            }
            StatementKind::Instruction(id) => self.instruction(&file[id]),
            StatementKind::Variable(id) => self.declaration(&file[id]),
            StatementKind::Open { .. } => self.out.push('{'),
            StatementKind::Close => self.out.push('}'),
            StatementKind::Targets(id) => self.target_list(&file[id]),
            StatementKind::Prototype(id) => self.prototype(&file[id]),
            StatementKind::Directive(id) => self.directive(&file[id]),
            StatementKind::Loc(id) => self.loc(&file[id]),
            StatementKind::Function(id) => self.function(&file[id]),
        }
        self.out.push('\n');
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let file = self.file;
        if let Some(guard) = instruction.guard {
            self.put(if guard.negated { "@!" } else { "@" });
            self.name(guard.name);
            self.out.push(' ');
        }
        self.name(instruction.opcode);
        for modifier in &file[instruction.modifiers] {
            self.dotted(modifier.symbol);
        }
        if !instruction.operands.is_empty() {
            self.out.push(' ');
            self.operands(instruction.operands);
        }
        self.out.push(';');
    }

    fn target_list(&mut self, list: &TargetList) {
        let file = self.file;
        self.name(list.label);
        self.put(match list.kind {
            TargetListKind::Branch => ": .branchtargets ",
            TargetListKind::Call => ": .calltargets ",
        });
        self.separated(&file[list.targets], |printer, target| {
            printer.name(target.name);
            printer.count(target.count);
        });
        self.out.push(';');
    }

    fn prototype(&mut self, prototype: &Prototype) {
        let file = self.file;
        self.name(prototype.label);
        self.put(": .callprototype ");
        if let Some(returns) = prototype.returns {
            self.parameters(returns, false);
            self.out.push(' ');
        }
        self.out.push('_');
        if let Some(parameters) = prototype.parameters {
            self.out.push(' ');
            self.parameters(parameters, false);
        }
        for directive in &file[prototype.directives] {
            self.out.push(' ');
            self.directive(directive);
        }
        self.out.push(';');
    }

    fn loc(&mut self, loc: &Loc) {
        self.put(".loc ");
        self.position(loc.position);
        if let Some(function_name) = loc.function_name {
            self.put(", function_name ");
            self.name(function_name.label);
            if let Some(offset) = function_name.offset {
                self.out.push('+');
                self.expression(offset);
            }
        }
        if let Some(position) = loc.inlined_at {
            self.put(", inlined_at ");
            self.position(position);
        }
    }

    fn position(&mut self, position: Position) {
        self.expression(position.file);
        self.out.push(' ');
        self.expression(position.line);
        self.out.push(' ');
        self.expression(position.column);
    }
}
