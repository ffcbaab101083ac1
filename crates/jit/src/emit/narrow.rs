//! Gathers and scatters of words of 8 and 16 bits. No processor has them, and LLVM would write a branch for each lane of each:
//! a kernel with a hundred of them would take seconds to compile.

use super::writer::{LANES, Name, Writer};

impl Writer {
    /// A gather of the words of 32 bits that the narrow ones lie in: these are aligned, and so is every page.
    pub(super) fn gather_narrow(&mut self, pointers: &str, bits: u32, lanes: &str) -> Name {
        let (ty, wide) = (format!("<{LANES} x i64>"), format!("<{LANES} x i32>"));
        let addresses = self.value(format!("ptrtoint <{LANES} x ptr> {pointers} to {ty}"));
        let (words, within) = (self.splat(64, &(!3u64).to_string()), self.splat(64, "3"));
        let words = self.value(format!("and {ty} {addresses}, {words}"));
        let words = self.value(format!("inttoptr {ty} {words} to <{LANES} x ptr>"));
        let within = self.value(format!("and {ty} {addresses}, {within}"));
        let within = self.value(format!("trunc {ty} {within} to {wide}"));
        let eight = self.splat(32, "3");
        let by = self.value(format!("shl {wide} {within}, {eight}"));
        let all = self.gather(&words, 32, lanes, "zeroinitializer");
        let moved = self.value(format!("lshr {wide} {all}, {by}"));
        self.value(format!("trunc {wide} {moved} to <{LANES} x i{bits}>"))
    }

    /// A scatter, by a function that goes through the lanes. The first element is stored first.
    pub(super) fn scatter_narrow(&mut self, value: &str, bits: u32, pointers: &str, lanes: &str) {
        let (ty, all) = (format!("<{LANES} x i{bits}>"), format!("<{LANES} x ptr>"));
        self.declare("declare i32 @llvm.cttz.i32(i32, i1)");
        self.declare(format!(
            "define internal fastcc void @scatter_i{bits}({ty} %values, {all} %pointers, i32 %lanes) noinline nounwind {{
entry:
  %v = alloca {ty}
  %p = alloca {all}
  store {ty} %values, ptr %v
  store {all} %pointers, ptr %p
  %none = icmp eq i32 %lanes, 0
  br i1 %none, label %end, label %each
each:
  %left = phi i32 [ %lanes, %entry ], [ %rest, %each ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %at = zext i32 %lane to i64
  %v.at = getelementptr i{bits}, ptr %v, i64 %at
  %p.at = getelementptr ptr, ptr %p, i64 %at
  %value = load i{bits}, ptr %v.at
  %to = load ptr, ptr %p.at
  store i{bits} %value, ptr %to
  %less = sub i32 %left, 1
  %rest = and i32 %left, %less
  %done = icmp eq i32 %rest, 0
  br i1 %done, label %end, label %each
end:
  ret void
}}"
        ));
        let word = self.value(format!("bitcast <{LANES} x i1> {lanes} to i32"));
        self.line(format!("call fastcc void @scatter_i{bits}({ty} {value}, {all} {pointers}, i32 {word})"));
    }
}
