//! The end of a launch, and the warps that do nothing but hammer other memory until then.

use super::frame::Frame;

impl Frame<'_> {
    /// The next round, and the warps that only cause stress.
    pub fn end(&mut self) {
        self.lines(
            "
            add.u32 %round, %round, 1;
            setp.lt.u32 %p, %round, %rounds;
            @%p bra ROUND;
            ",
        );
        // A test must not see the memory of a CTA that has ended, nor leave while others use its own.
        self.meet();
        self.lines(
            "
            setp.ne.u32 %p, %thread, 0;
            @%p bra LEAVE;
            st.volatile.shared.u32 [ended], 1;
            bra LEAVE;
            STRESS:
            ld.param.u32 %mode, [stress];
            ld.param.u32 %mask, [scratch_mask];
            mov.u32 %x, %ctaid.x;
            mad.lo.u32 %h, %x, 1024, %thread;
            add.u32 %h, %h, %seed;
            HAMMER:
            mad.lo.u32 %h, %h, 1664525, 1013904223;
            shr.u32 %x, %h, 6;
            and.b32 %x, %x, %mask;
            cvt.u64.u32 %wide, %x;
            add.u64 %addr, %scratch, %wide;
            and.b32 %x, %mode, 1;
            setp.ne.u32 %p, %x, 0;
            @%p st.global.u32 [%addr], %h;
            @!%p ld.global.u32 %y, [%addr];
            and.b32 %x, %mode, 2;
            setp.ne.u32 %q, %x, 0;
            @%q st.global.u32 [%addr], %h;
            @!%q ld.volatile.global.u32 %z, [%addr];
            and.b32 %x, %mode, 4;
            setp.ne.u32 %p, %x, 0;
            @%p atom.global.add.u32 %z, [%addr], 1;
            add.u32 %sink, %sink, %z;
            ld.volatile.shared.u32 %x, [ended];
            setp.eq.u32 %p, %x, 0;
            @%p bra HAMMER;
            LEAVE:
            setp.ne.u32 %p, %sink, 0x7badbeef;
            @%p ret;
            st.global.u32 [%scratch], %sink;
            ret;
            ",
        );
        self.text.push_str("}\n");
    }
}
