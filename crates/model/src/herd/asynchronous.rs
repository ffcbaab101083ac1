//! Instructions that work beside their thread: mbarriers, asynchronous copies and stores, the tensor cores.
//!
//! Each is taken apart into accesses as the instruction's description in chapter 9 says; 8.9.1.1 says how these are ordered.

use super::cursor::Parsed;
use super::line::Line;
use super::operands::{self as operand, comma};
use crate::event::{Proxy, Scope, Semantics};
use crate::test::{Action, Asynchronous, Comparison, Engine, Function, Manner, Operand, Update};

/// An mbarrier object is one location, which counts what has arrived: so many make a phase. An arrival is an atomic
/// operation on it, a test reads it.
pub fn mbarrier(line: &mut Line<'_, '_>) -> Parsed<()> {
    if line.opcode.take("arrive") {
        line.opcode.take("expect_tx");
        let strong = [Semantics::Relaxed, Semantics::Release];
        let manner = line.opcode.manner(Proxy::Generic, &strong, Semantics::Release, Some(Scope::Cta))?;
        let name = operand::location(&mut line.cursor)?;
        let (address, _) = line.builder.mbarrier_count(&name)?;
        let update = Update::Function(Function::Add, Operand::Constant(1));
        line.push(Action::Atomic { to: None, address, update, manner });
        return Ok(());
    }
    if !(line.opcode.take("test_wait") || line.opcode.take("try_wait")) {
        return line.opcode.lacks("`.arrive`, `.test_wait` or `.try_wait`");
    }
    let strong = [Semantics::Relaxed, Semantics::Acquire];
    let manner = line.opcode.manner(Proxy::Generic, &strong, Semantics::Acquire, Some(Scope::Cta))?;
    let to = line.register()?;
    comma(&mut line.cursor)?;
    let name = operand::location(&mut line.cursor)?;
    let (address, count) = line.builder.mbarrier_count(&name)?;
    // Without a phase, the first.
    let phase = if line.cursor.take(",") { line.cursor.number()? } else { 0 };
    let needed = phase.saturating_add(1).saturating_mul(count);
    line.push(Action::Load { to: vec![to], addresses: vec![address], manner });
    line.push(Action::Compute {
        to,
        function: Function::Compare(Comparison::GreaterOrEqual),
        left: Operand::Register(to),
        right: Operand::Constant(needed),
    });
    Ok(())
}

/// Adds the parts of a new asynchronous operation.
fn start(line: &mut Line<'_, '_>, engine: Engine, parts: Vec<Action>) {
    line.builder.asynchronous += 1;
    let asynchronous = Asynchronous { number: line.builder.asynchronous, engine };
    for part in parts {
        line.push(part);
        if let Some(last) = line.builder.threads[line.thread].code.last_mut() {
            last.asynchronous = Some(asynchronous);
        }
    }
}

fn weak(proxy: Proxy) -> Manner {
    Manner { semantics: Semantics::Weak, scope: Scope::Cta, proxy }
}

/// `complete_tx` on an mbarrier: releases at cluster scope (9.7.9.25.4.1).
fn complete(address: usize) -> Action {
    let update = Update::Function(Function::Add, Operand::Constant(1));
    let manner = Manner { semantics: Semantics::Release, scope: Scope::Cluster, proxy: Proxy::Generic };
    Action::Atomic { to: None, address, update, manner }
}

/// `cp.async d, s`; `cp.async.bulk d, s{, mbarrier}`; and the instructions that wait for them.
pub fn copy(line: &mut Line<'_, '_>) -> Parsed<()> {
    if !line.opcode.take("async") {
        return line.opcode.lacks("`.async`");
    }
    let bulk = line.opcode.take("bulk");
    let engine = if bulk { Engine::Bulk } else { Engine::Copy };
    let all = ["wait_all", "wait_group"].iter().any(|word| line.opcode.take(word));
    if all {
        if line.cursor.is_number() && line.cursor.number()? != 0 {
            return line.cursor.fail("0: a litmus test can only wait for all");
        }
        line.push(Action::Await(engine));
        return Ok(());
    }
    if line.opcode.take("commit_group") {
        return Ok(());
    }
    let to = line.address()?;
    comma(&mut line.cursor)?;
    let from = line.address()?;
    let proxy = if bulk { Proxy::Async } else { Proxy::Generic };
    // What is copied passes through a register that no text can name.
    let hidden = line.builder.register(line.thread, &format!("copy {}", line.builder.asynchronous));
    let mut parts = vec![
        Action::Load { to: vec![hidden], addresses: vec![from], manner: weak(proxy) },
        Action::Store { addresses: vec![to], values: vec![Operand::Register(hidden)], manner: weak(proxy) },
    ];
    if bulk {
        // The completion is followed by a proxy fence between the async and the generic proxy.
        parts.push(Action::ProxyFence(Proxy::Async));
        if line.cursor.take(",") {
            let name = operand::location(&mut line.cursor)?;
            parts.push(complete(line.builder.mbarrier_count(&name)?.0));
        }
    }
    start(line, engine, parts);
    Ok(())
}

/// `st.async d, value, mbarrier`
pub fn store(line: &mut Line<'_, '_>) -> Parsed<()> {
    line.opcode.take("weak");
    let to = line.address()?;
    comma(&mut line.cursor)?;
    let value = line.value()?;
    comma(&mut line.cursor)?;
    let name = operand::location(&mut line.cursor)?;
    let (mbarrier, _) = line.builder.mbarrier_count(&name)?;
    let write = Action::Store { addresses: vec![to], values: vec![value], manner: weak(Proxy::Generic) };
    start(line, Engine::Bulk, vec![write, complete(mbarrier)]);
    Ok(())
}

/// `tcgen05.st t, value`, `tcgen05.ld r, t`, `tcgen05.mma t, value` (which stands for any write by the tensor cores),
/// `tcgen05.commit mbarrier`, `tcgen05.wait::st`, `tcgen05.fence::before_thread_sync`.
pub fn tensor(line: &mut Line<'_, '_>) -> Parsed<()> {
    let words = [
        ("st", 0),
        ("ld", 1),
        ("mma", 2),
        ("commit", 3),
        ("fence::before_thread_sync", 4),
        ("fence::after_thread_sync", 5),
        ("wait::st", 6),
        ("wait::ld", 6),
    ];
    let manner = weak(Proxy::Tensor);
    match line.opcode.one_of(&words) {
        Some(form @ (0 | 2)) => {
            let addresses = vec![line.address()?];
            comma(&mut line.cursor)?;
            let store = Action::Store { addresses, values: vec![line.value()?], manner };
            if form == 0 {
                line.push(store);
            } else {
                start(line, Engine::Tensor, vec![store]);
            }
        }
        Some(1) => {
            let to = vec![line.register()?];
            comma(&mut line.cursor)?;
            let addresses = vec![line.address()?];
            line.push(Action::Load { to, addresses, manner });
        }
        Some(3) => {
            let name = operand::location(&mut line.cursor)?;
            let (mbarrier, _) = line.builder.mbarrier_count(&name)?;
            start(line, Engine::Tensor, vec![Action::TensorBefore, complete(mbarrier)]);
        }
        Some(4) => line.push(Action::TensorBefore),
        Some(5) => line.push(Action::TensorAfter),
        Some(_) => {
            // A thread that has waited is ordered on both sides.
            line.push(Action::TensorBefore);
            line.push(Action::TensorAfter);
        }
        None => {
            return line.opcode.lacks(
                "an operation: `.st`, `.ld`, `.mma`, `.commit`, `.wait::st`, `.fence::before_thread_sync` …",
            );
        }
    }
    Ok(())
}
