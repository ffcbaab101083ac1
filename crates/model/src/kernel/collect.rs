//! The end of a round: each instance's registers and memory become one number, which a table counts.
//!
//! The table has room for 1,024 outcomes, each a key and a count of 64 bits. A key is a one and then the values, of as many
//! bits each. After the table stand the number of outcomes that did not fit, and of runs that were given up.

use super::frame::Frame;
use super::home::Home;
use crate::test::Observable;

impl Frame<'_> {
    pub fn collect(&mut self) {
        let (unit, cta, _) = self.roles.of_thread(self.collector);
        let number = self.roles.number(self.collector);
        let (bits, mask) = (self.bits(), (1_u32 << self.bits()) - 1);
        self.lines(&format!(
            "
            setp.ne.u32 %p, %number, {number};
            @%p bra COUNTED;
            mov.u64 %key, 1;
            mov.u32 %over, 0;
            "
        ));
        if self.test.addresses.len() > self.test.locations.len() {
            self.line("fence.proxy.alias;");
        }
        for at in 0..self.observables.len() {
            match self.observables[at] {
                Observable::Register { .. } => {
                    let slot = self.slot(self.observables[at]) * 4;
                    self.line(&format!("ld.global.u32 %value, [%result+{slot}];"));
                }
                Observable::Memory(location) => {
                    let address = self.test.addresses.iter().position(|known| known.location == location);
                    let address = address.unwrap_or(0);
                    if self.homes.homes[location] == Home::Global {
                        self.locate("%addr", address, (unit, cta));
                        self.line("ld.global.u32 %value, [%addr];");
                    } else {
                        self.locate("%y", address, (unit, cta));
                        self.line("ld.shared::cluster.u32 %value, [%y];");
                    }
                }
            }
            self.lines(&format!(
                "
                shr.u32 %x, %value, {bits};
                or.b32 %over, %over, %x;
                and.b32 %value, %value, {mask};
                cvt.u64.u32 %wide, %value;
                shl.b64 %key, %key, {bits};
                or.b64 %key, %key, %wide;
                "
            ));
        }
        self.lines(
            "
            ld.global.u32 %y, [%result];
            setp.eq.u32 %p, %y, 0;
            @%p bra FINISHED;
            st.global.u32 [%result], 0;
            atom.global.add.u64 %old, [%outcomes+16392], 1;
            bra COUNTED;
            FINISHED:
            setp.eq.u32 %p, %over, 0;
            @%p bra FITS;
            FULL:
            atom.global.add.u64 %old, [%outcomes+16384], 1;
            bra COUNTED;
            FITS:
            activemask.b32 %x;
            match.any.sync.b64 %peers, %key, %x;
            mov.u32 %x, %lanemask_lt;
            and.b32 %x, %x, %peers;
            setp.ne.u32 %p, %x, 0;
            @%p bra COUNTED;
            popc.b32 %peers, %peers;
            cvt.u64.u32 %wide, %peers;
            mov.u32 %turns, 0;
            cvt.u32.u64 %h, %key;
            mul.lo.u32 %h, %h, 0x9E3779B1;
            shr.u32 %h, %h, 16;
            PROBE:
            and.b32 %h, %h, 1023;
            mad.wide.u32 %entry, %h, 16, %outcomes;
            ld.relaxed.gpu.global.u64 %old, [%entry];
            setp.eq.u64 %p, %old, %key;
            @%p bra FOUND;
            atom.relaxed.gpu.global.cas.b64 %old, [%entry], 0, %key;
            setp.eq.u64 %p, %old, 0;
            @%p bra FOUND;
            setp.eq.u64 %p, %old, %key;
            @%p bra FOUND;
            add.u32 %h, %h, 1;
            add.u32 %turns, %turns, 1;
            setp.gt.u32 %p, %turns, 1023;
            @%p bra FULL;
            bra PROBE;
            FOUND:
            red.relaxed.gpu.global.add.u64 [%entry+8], %wide;
            COUNTED:
            ",
        );
    }
}
