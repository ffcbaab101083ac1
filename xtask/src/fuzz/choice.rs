//! Memory that compiled code cannot tell to be one: each lane chooses among its own places in several spaces, or reads parts
//! of words at a step.

use super::elements::Body;

impl Body<'_> {
    /// A load, and perhaps a store before it, by a generic address of which each lane has chosen the space.
    pub(super) fn choice(&mut self) {
        let condition = self.condition();
        let (one, other) = *self.random.pick(&[("%xs", "%xl"), ("%ga", "%xs"), ("%xl", "%ga")]);
        let (ty, stem, bytes) = *self.random.pick(&[("b32", "%r", 4), ("b64", "%rd", 8), ("u8", "%r", 1)]);
        let at = bytes * self.random.below(8);
        self.put(format!("selp.b64 %w0, {one}, {other}, {condition};"));
        if self.random.one_in(2) {
            let given = self.register(stem);
            self.put(format!("st.{ty} [%w0+{at}], {given};"));
        }
        let taken = self.register(stem);
        self.put(format!("ld.{ty} {taken}, [%w0+{at}];"));
    }

    /// A load of a byte or of half a word by the number of the thread, times a step.
    pub(super) fn parts(&mut self) {
        let (ty, stem, bytes) = *self.random.pick(&[("u8", "%r", 1), ("s8", "%r", 1), ("b16", "%h", 2)]);
        let (step, at) = (bytes * (1 + self.random.below(8 / bytes - 1)), bytes * self.random.below(2));
        let taken = self.register(stem);
        self.put(format!("ld.param.u64 %w0, [in]; mad.wide.u32 %w0, %lt, {step}, %w0;"));
        self.put(format!("ld.global.{ty} {taken}, [%w0+{at}];"));
    }
}
