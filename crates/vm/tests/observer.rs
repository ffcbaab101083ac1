//! What an observer of a kernel is told: every space, by whom, and when asynchronous operations touch what they say.

use std::sync::{Arc, Mutex};

use ptxvm_vm::observer::{Access, HeapChange, Observer, Source, Stage, Transferred};
use ptxvm_vm::{
    Asynchrony, Buffer, Device, Kernel, LaunchOptions, Proxy, Settings, Space, Touch, Wants, When,
};

/// Writes down everything.
#[derive(Debug, Default)]
struct Record {
    accesses: Mutex<Vec<Told>>,
    transfers: Mutex<Vec<(u64, Stage, Vec<Touch>)>>,
    heap: Mutex<Vec<(u64, Option<u64>)>>,
}

/// An access of the first of its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Told {
    source: Source,
    space: Space,
    wants: Wants,
    lanes: u32,
    first: u64,
    bytes: u64,
    proxy: Proxy,
}

impl Observer for Record {
    fn access(&self, access: &Access<'_>) {
        let Access { who, source, space, addresses, bytes, wants, proxy } = *access;
        let first = addresses[who.lanes.trailing_zeros() as usize];
        let told = Told { source, space, wants, lanes: who.lanes, first, bytes, proxy };
        self.accesses.lock().expect("whole").push(told);
    }

    fn transfer(&self, transfer: &Transferred<'_>) {
        let told = (transfer.operation, transfer.stage, transfer.touches.to_vec());
        self.transfers.lock().expect("whole").push(told);
    }

    fn heap(&self, change: &HeapChange) {
        self.heap.lock().expect("whole").push((change.address, change.taken));
    }
}

/// The name of the instruction that an access is told of.
fn opcode(kernel: &Kernel, source: Source) -> String {
    let program = kernel.program();
    let span = program.functions[source.function.0 as usize].instructions[source.instruction as usize].span;
    let text = &kernel.module().source()[span.start as usize..span.end as usize];
    text.split_whitespace().next().unwrap_or_default().trim_end_matches(';').to_owned()
}

const SPACES: &str = "
.version 9.1
.target sm_90
.address_size 64
.extern .func (.param .b64 block) malloc(.param .b64 size);
.extern .func free(.param .b64 block);
.const .u32 seven = 7;
.func (.param .align 8 .b8 result[8]) twice(.param .align 8 .b8 value[8])
{
    .reg .b32 %r;
    ld.param.b32 %r, [value+4];
    add.u32 %r, %r, %r;
    st.param.b32 [result+4], %r;
    ret;
}
.visible .entry spaces(.param .u64 out, .param .u32 scale)
{
    .shared .align 16 .b8 area[128];
    .local .align 4 .b8 own[8];
    .reg .b32 %t, %s, %v, %old, %at;
    .reg .b64 %out, %p, %g;
    mov.u32 %t, %tid.x;
    ld.param.u64 %out, [out];
    ld.param.u32 %s, [scale];
    mad.wide.u32 %p, %t, 4, %out;
    ld.const.u32 %v, [seven];
    mad.lo.u32 %v, %v, %s, %t;
    mov.u32 %at, area;
    mad.lo.u32 %at, %t, 4, %at;
    st.shared.u32 [%at], %v;
    cvt.u64.u32 %g, %at;
    cvta.shared.u64 %g, %g;
    ld.u32 %v, [%g];
    st.local.u32 [own+4], %v;
    ld.local.u32 %v, [own+4];
    {
        .param .align 8 .b8 given[8];
        .param .align 8 .b8 gotten[8];
        st.param.b32 [given+4], %v;
        call (gotten), twice, (given);
        ld.param.b32 %v, [gotten+4];
    }
    st.global.u32 [%p], %v;
    atom.global.add.u32 %old, [%out], 1;
    {
        .param .b64 size;
        .param .b64 block;
        st.param.b64 [size], 64;
        call (block), malloc, (size);
        ld.param.b64 %g, [block];
    }
    st.u32 [%g], %v;
    {
        .param .b64 block;
        st.param.b64 [block], %g;
        call free, (block);
    }
    ret;
}";

#[test]
fn every_space_is_told() {
    let device = Device::default();
    let module = device.load(SPACES).expect("it is valid");
    let run = |kernel: &Kernel| {
        let out = Buffer::from_slice(&device, &[0u32; 32]).expect("there is memory");
        kernel.launch(&LaunchOptions::new(1, 32).argument(&out).argument(3u32)).expect("it ends well");
        (out.address(), out.to_vec::<u32>())
    };
    let plain = module.kernel("spaces").expect("it is there");
    let (_, expected) = run(&plain);
    let record = Arc::new(Record::default());
    let kernel = plain.observed_by(record.clone()).expect("it links");
    let (out, found) = run(&kernel);
    assert_eq!(found, expected, "an observer changes nothing");

    let told = record.accesses.lock().expect("whole").clone();
    let of = |name: &str| -> Vec<(Space, Wants, u32, u64)> {
        let of = told.iter().filter(|told| opcode(&kernel, told.source) == name);
        of.map(|told| (told.space, told.wants, told.lanes, told.bytes)).collect()
    };
    let all = u32::MAX;
    assert_eq!(of("ld.param.u64"), [(Space::Parameter, Wants::Read, all, 8)]);
    assert_eq!(of("ld.param.u32"), [(Space::Parameter, Wants::Read, all, 4)]);
    assert_eq!(of("ld.const.u32"), [(Space::Global, Wants::Read, all, 4)]);
    assert_eq!(of("st.shared.u32"), [(Space::Shared, Wants::Write, all, 4)]);
    assert_eq!(of("ld.u32"), [(Space::Shared, Wants::Read, all, 4)], "a generic address is what it means");
    assert_eq!(of("st.local.u32"), [(Space::Local, Wants::Write, all, 4)]);
    assert_eq!(of("ld.local.u32"), [(Space::Local, Wants::Read, all, 4)]);
    assert_eq!(of("st.global.u32"), [(Space::Global, Wants::Write, all, 4)]);
    assert_eq!(of("atom.global.add.u32"), [(Space::Global, Wants::Update, all, 4)]);
    let store = told.iter().find(|told| opcode(&kernel, told.source) == "st.global.u32").expect("it is told");
    assert_eq!((store.first, store.proxy), (out, Proxy::Generic));
    // Parameters and results of calls that are not one value lie in frames and are passed lane by lane.
    assert!(of("call").iter().filter(|(space, ..)| *space == Space::Local).count() >= 64, "{:?}", of("call"));
    assert!(of("ret").contains(&(Space::Local, Wants::Read, 1, 8)), "{:?}", of("ret"));

    let heap = record.heap.lock().expect("whole");
    assert_eq!(heap.iter().filter(|(_, taken)| *taken == Some(64)).count(), 32);
    assert_eq!(heap.iter().filter(|(_, taken)| taken.is_none()).count(), 32);
    let taken: Vec<u64> = heap.iter().filter(|(_, taken)| taken.is_some()).map(|(at, _)| *at).collect();
    let first = told.iter().find(|told| opcode(&kernel, told.source) == "st.u32").expect("it is told");
    assert!(taken.contains(&first.first));
}

const COPIES: &str = "
.version 9.1
.target sm_90
.address_size 64
.visible .entry copies(.param .u64 from, .param .u64 to)
{
    .shared .align 128 .b8 area[256];
    .shared .align 8 .b64 bar;
    .reg .pred %p;
    .reg .b32 %area, %bar, %next;
    .reg .b64 %from, %to, %state;
    ld.param.u64 %from, [from];
    ld.param.u64 %to, [to];
    mov.u32 %area, area;
    mov.u32 %bar, bar;
    cp.async.ca.shared.global [%area], [%from], 8, 4;
    cp.async.wait_all;
    mbarrier.init.shared::cta.b64 [%bar], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%bar], 64;
    add.u32 %next, %area, 64;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%next], [%from], 64, [%bar];
wait:
    mbarrier.try_wait.shared::cta.b64 %p, [%bar], %state;
    @!%p bra wait;
    fence.proxy.async;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%to], [%next], 32;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}";

#[test]
fn asynchronous_operations_say_what_they_touch_and_when() {
    for asynchrony in Asynchrony::ALL {
        let device = Device::default();
        let record = Arc::new(Record::default());
        let kernel = device.load(COPIES).expect("it is valid").kernel("copies").expect("it is there");
        let kernel = kernel.observed_by(record.clone()).expect("it links");
        let from = Buffer::from_slice(&device, &(0u32..16).collect::<Vec<_>>()).expect("there is memory");
        let to = Buffer::from_slice(&device, &[1u32; 16]).expect("there is memory");
        let settings = Settings { asynchrony, ..Settings::default() };
        let options = LaunchOptions { settings, ..LaunchOptions::new(1, 1) };
        kernel.launch(&options.argument(&from).argument(&to)).expect("it ends well");
        assert_eq!(to.to_vec::<u32>(), [1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1, 1, 1, 1, 1, 1]);

        let transfers = record.transfers.lock().expect("whole");
        let of = |number: u64, stage: Stage| -> Option<Vec<Touch>> {
            let mut found =
                transfers.iter().filter(|(operation, at, _)| *operation == number && *at == stage);
            let first = found.next().map(|(_, _, touches)| touches.clone());
            assert!(found.next().is_none(), "operation {number} is told twice as {stage:?}");
            first
        };
        let touch =
            |space, address, bytes, wants, when, proxy| Touch { space, address, bytes, wants, when, proxy };
        let (global, shared) = (Space::Global, Space::Shared);
        let footprints = [
            vec![
                touch(global, from.address(), 4, Wants::Read, When::Fetch, Proxy::Generic),
                touch(shared, 0, 8, Wants::Write, When::Deliver, Proxy::Generic),
            ],
            vec![
                touch(global, from.address(), 64, Wants::Read, When::Fetch, Proxy::Async),
                touch(shared, 64, 64, Wants::Write, When::Deliver, Proxy::Async),
                touch(shared, 256, 8, Wants::Mbarrier, When::Deliver, Proxy::Generic),
            ],
            vec![
                touch(shared, 64, 32, Wants::Read, When::Fetch, Proxy::Async),
                touch(global, to.address(), 32, Wants::Update, When::Deliver, Proxy::Async),
            ],
        ];
        for (number, footprint) in footprints.iter().enumerate() {
            let number = number as u64;
            assert_eq!(of(number, Stage::Issued).as_ref(), Some(footprint), "{asynchrony:?}");
            let delivered = of(number, Stage::Delivered).expect("it completes");
            let fetched = of(number, Stage::Fetched).unwrap_or_default();
            assert_eq!(
                [fetched, delivered].concat(),
                *footprint,
                "each is made once, in order ({asynchrony:?})"
            );
        }
        // None of them is told as an access of the instruction that issues it.
        let told = record.accesses.lock().expect("whole");
        let issued = told.iter().filter(|told| opcode(&kernel, told.source).starts_with("cp."));
        assert_eq!(issued.count(), 0);
    }
}
