//! Functions that go through the lanes of a warp one after the other, for what no processor does to a vector: LLVM would write
//! a branch for each lane, wherever it is done.

use std::fmt::Write;

use super::writer::{LANES, Writer};

/// A function that goes through lanes.
pub struct LaneByLane<'a> {
    /// The type of what it gives.
    pub result: &'a str,
    /// Its name, with the sign before it.
    pub name: &'a str,
    /// What each lane has, by names without the sign, and their types: parameters of the function are vectors of these, with
    /// an `s` at their names. The lanes follow as a mask, `%lanes`.
    pub sources: &'a [(&'a str, &'a str)],
    /// The parameters after these.
    pub more: &'a str,
    /// The lines before the first lane.
    pub before: &'a str,
    /// The lines for a lane, whose number is `%at`. They begin in the block `each`.
    pub each: &'a str,
    /// The lines for all lanes, where none is missing; empty if they go one after the other then too.
    pub whole: &'a str,
    /// The lines after the last, up to the return.
    pub after: &'a str,
}

impl LaneByLane<'_> {
    /// Has the module define it.
    pub fn declare(&self, writer: &mut Writer) {
        let Self { result, name, sources, more, before, each, whole, after } = self;
        let (mut parameters, mut kept, mut loaded) = (String::new(), String::new(), String::new());
        for (source, ty) in *sources {
            let _ = write!(parameters, "<{LANES} x {ty}> %{source}s, ");
            let _ = writeln!(kept, "  %{source}.all = alloca <{LANES} x {ty}>");
            let _ = writeln!(kept, "  store <{LANES} x {ty}> %{source}s, ptr %{source}.all");
            let _ = writeln!(loaded, "  %{source}.at = getelementptr {ty}, ptr %{source}.all, i64 %at");
            let _ = writeln!(loaded, "  %{source} = load {ty}, ptr %{source}.at");
        }
        let (mut first, mut beginning) = ("entry", String::new());
        if !whole.is_empty() {
            first = "some";
            beginning = format!(
                "  %is.whole = icmp eq i32 %lanes, -1
  br i1 %is.whole, label %whole, label %some
whole:
{whole}  br label %end
some:
"
            );
        }
        writer.declare("declare i32 @llvm.cttz.i32(i32, i1)");
        writer.declare(format!(
            "define internal fastcc {result} {name}({parameters}i32 %lanes{more}) noinline nounwind {{
entry:
{kept}{before}{beginning}  %none = icmp eq i32 %lanes, 0
  br i1 %none, label %end, label %each
each:
  %left = phi i32 [ %lanes, %{first} ], [ %rest, %done ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %at = zext i32 %lane to i64
{loaded}{each}  br label %done
done:
  %less = sub i32 %left, 1
  %rest = and i32 %left, %less
  %ready = icmp eq i32 %rest, 0
  br i1 %ready, label %end, label %each
end:
{after}}}"
        ));
    }
}
