"""Small mistakes, and what an H200 does with each: it goes on, faults or hangs.

`write FOLDER` writes the kernels, each with its launch line; `measure OUT` runs them on the device, twice with -O3 and twice
with -O0, each in a process of its own, and writes what came of it: the CUresult of the synchronisation (or null: it had not
ended after twelve seconds) and the words of the buffer."""
import concurrent.futures, json, os, subprocess, sys

WORDS = 128
CASES = {}


def case(name, what, body, block=32, grid=1, shared=0, cluster=0, before='', locals=''):
    """A kernel whose thread t writes %v to word t of the buffer; %q is whether it is in the lower half of its warp."""
    launch = f'--block {block}' + (f' --grid {grid}' if grid > 1 else '') + (f' --cluster {cluster}' if cluster else '')
    launch += (f' --shared {shared}' if shared else '') + f" --arg 'u32[{WORDS}]'"
    text = f"""// {what}
//
// ptxvm: run {launch}
.version 9.0
.target sm_90a
.address_size 64
{before}
.visible .entry k(.param .u64 out)
{{
    .reg .pred %q, %p<4>;
    .reg .b32 %t, %lane, %v, %x, %y, %z, %s, %i;
    .reg .b64 %o, %out, %a, %b, %state;
    {locals}
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mov.u32 %lane, %laneid;
    mad.wide.u32 %o, %t, 4, %out;
    setp.lt.u32 %q, %lane, 16;
    mov.u32 %v, 7;
    {body.strip()}
    st.global.u32 [%o], %v;
    ret;
}}
"""
    assert name not in CASES, name
    CASES[name] = dict(text=text, block=block, grid=grid, shared=shared, cluster=cluster)


# Lanes of a warp that are elsewhere. What the halves do lies in loops over what memory says, so that no assembler makes one
# instruction of two.
def halves(name, what, lower, upper, **more):
    case(name, what, f"""
    ld.global.u32 %x, [%o];
    @%q bra LOWER;
    {upper}
    st.global.u32 [%o], 1;
    bra DONE;
LOWER:
    ld.volatile.global.u32 %y, [%o];
    add.u32 %x, %x, %y;
    {lower}
    st.global.u32 [%o], 2;
DONE:
    ld.global.u32 %y, [%o];
    add.u32 %v, %v, %y;""", **more)


COLLECTIVES = {
    'vote': 'setp.eq.u32 %p0, %x, 0; vote.sync.ballot.b32 %v, %p0, 0xffffffff;',
    'vote_all': 'setp.eq.u32 %p0, %x, 0; vote.sync.all.pred %p1, %p0, 0xffffffff; selp.u32 %v, 1, 0, %p1;',
    'shfl': 'shfl.sync.idx.b32 %v, %lane, 3, 31, 0xffffffff;',
    'shfl_up': 'shfl.sync.up.b32 %v, %lane, 1, 0, 0xffffffff;',
    'match': 'match.any.sync.b32 %v, %lane, 0xffffffff;',
    'redux': 'redux.sync.add.u32 %v, %lane, 0xffffffff;',
    'redux_max': 'redux.sync.max.u32 %v, %lane, 0xffffffff;',
    'warp_barrier': 'bar.warp.sync 0xffffffff;',
    'elect': 'elect.sync %v|%p1, 0xffffffff;',
    'activemask': 'activemask.b32 %v;',
    'barrier': 'bar.sync 0;',
    'barrier_unaligned': 'barrier.sync 0;',
    'exit': 'exit;',
}
SYNCHRONIZING = ['vote', 'shfl', 'match', 'redux', 'warp_barrier', 'elect']
for one in SYNCHRONIZING:
    halves(f'split_{one}', f'The halves of a warp execute {one} with a full mask at two places.', COLLECTIVES[one], COLLECTIVES[one])
    halves(f'exited_{one}', f'The upper half exits; the lower executes {one} with a full mask.', COLLECTIVES[one], 'exit;')
    case(f'absent_{one}', f'A CTA of 16 threads executes {one} with a full mask.', COLLECTIVES[one].replace('%x', '%t'), block=16)
for lower, upper in [('vote', 'warp_barrier'), ('shfl', 'warp_barrier'), ('redux', 'warp_barrier'), ('match', 'warp_barrier'), ('vote', 'shfl'), ('vote', 'vote_all'),
                     ('shfl', 'shfl_up'), ('redux', 'redux_max'), ('vote', 'barrier'), ('warp_barrier', 'barrier'),
                     ('warp_barrier', 'barrier_unaligned'), ('vote', 'activemask'), ('elect', 'vote'), ('match', 'redux')]:
    halves(f'{lower}_beside_{upper}', f'The lower half executes {lower} with a full mask, the upper {upper}.', COLLECTIVES[lower], COLLECTIVES[upper])
halves('barriers_at_two_places', 'Half a warp at one bar.sync 0, the rest at another.', 'bar.sync 0;', 'bar.sync 0;')
halves('barriers_at_two_places_unaligned', 'Half a warp at one barrier.sync 0, the rest at another.', 'barrier.sync 0;', 'barrier.sync 0;')
halves('barriers_at_two_places_of_two_warps', 'The halves of two warps at two bar.sync 0.', 'bar.sync 0;', 'bar.sync 0;', block=64)
halves('barrier_while_half_exits', 'Half a warp exits, the rest waits at bar.sync 0.', 'bar.sync 0;', 'exit;')
halves('barrier_unaligned_while_half_exits', 'Half a warp exits, the rest waits at barrier.sync 0.', 'barrier.sync 0;', 'exit;')
halves('barrier_of_half', 'Half of the only warp waits at bar.sync 0; the rest goes past it and waits in a warp barrier.', 'bar.sync 0; bar.warp.sync 0xffffffff;', 'bar.warp.sync 0xffffffff;')
halves('barriers_of_two_names', 'Half a warp at bar.sync 1, the rest at bar.sync 2.', 'bar.sync 1;', 'bar.sync 2;')
halves('reductions_at_two_places', 'Half a warp at one bar.red, the rest at another of another operation.', 'setp.eq.u32 %p0, %x, 0; bar.red.popc.u32 %v, 0, %p0;', 'setp.eq.u32 %p0, %x, 0; bar.red.or.pred %p1, 0, %p0; selp.u32 %v, 1, 0, %p1;')
halves('mask_without_the_others', 'Each half names only itself in the mask of vote: lawful.', 'setp.eq.u32 %p0, %x, 0; vote.sync.ballot.b32 %v, %p0, 0xffff;', 'setp.eq.u32 %p0, %x, 0; vote.sync.ballot.b32 %v, %p0, 0xffff0000;')
halves('masks_that_differ', 'One half names all lanes, the other only itself.', 'setp.eq.u32 %p0, %x, 0; vote.sync.ballot.b32 %v, %p0, 0xffffffff;', 'setp.eq.u32 %p0, %x, 0; vote.sync.ballot.b32 %v, %p0, 0xffff0000;')
halves('warp_barriers_with_masks_that_differ', 'One half names all lanes in bar.warp.sync, the other only itself.', 'bar.warp.sync 0xffffffff;', 'bar.warp.sync 0xffff0000;')
halves('ldmatrix_in_half', 'Half a warp executes ldmatrix.sync.aligned.', 'mov.u32 %s, m; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v}, [%s];', 'add.u32 %v, %x, 5;', before='.shared .align 16 .b8 m[128];')
halves('mma_at_two_places', 'The halves of a warp execute mma.sync.aligned at two places.',
       *['mov.b32 %x, 0x3c003c00; mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%v, %y}, {%x}, {%x}, {%t, %t};'] * 2)
for one, op in {'vote': 'setp.eq.u32 %p0, %t, 40; vote.sync.ballot.b32 %v, %p0, %x;', 'shfl': 'shfl.sync.idx.b32 %v, %t, 3, 31, %x;',
                'warp_barrier': 'bar.warp.sync %x;', 'redux': 'redux.sync.add.u32 %v, %t, %x;', 'match': 'match.any.sync.b32 %v, %t, %x;'}.items():
    case(f'mask_without_itself_{one}', f'All lanes execute {one} with a mask that does not name the upper half.', f'ld.global.u32 %x, [%o]; add.u32 %x, %x, 0xffff; {op}')
    case(f'mask_of_nobody_{one}', f'All lanes execute {one} with the mask 0.', f'ld.global.u32 %x, [%o]; {op}')
case('shfl_from_an_exited_lane', 'A lane reads the register of a lane that has exited, with a mask of those that live.',
     'setp.eq.u32 %p0, %lane, 3; @%p0 exit; shfl.sync.idx.b32 %v, %t, 3, 31, 0xfffffff7;')
case('shfl_from_a_lane_out_of_the_mask', 'The lower half reads from the upper with a mask of its own.',
     '@!%q bra DONE; add.u32 %y, %lane, 16; shfl.sync.idx.b32 %v, %t, %y, 31, 0xffff; DONE:')
case('loops_of_different_lengths', 'Lane n executes vote with a full mask n times, then exits the loop.',
     'mov.u32 %i, 0; L: setp.eq.u32 %p0, %i, 3; vote.sync.ballot.b32 %v, %p0, 0xffffffff; add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, %lane; @%p1 bra L;')

# Barriers of a CTA.
WARP = 'shr.u32 %x, %t, 5; setp.eq.u32 %p0, %x, 0;'
case('barrier_names_differ', 'Warp 0 waits at bar.sync 1, warp 1 at bar.sync 2.', WARP + ' @%p0 bra A; bar.sync 2; bra B; A: bar.sync 1; B:', block=64)
case('barrier_of_more_threads', 'bar.sync for 96 threads in a CTA of 64.', 'bar.sync 0, 96;', block=64)
case('barrier_of_fewer_threads', 'bar.sync for 32 threads in a CTA of 64: each warp passes by itself.', 'bar.sync 0, 32;', block=64)
case('barrier_counts_differ', 'Warp 0 says 64 threads, warp 1 says 96.', WARP + ' selp.u32 %y, 64, 96, %p0; bar.sync 0, %y;', block=64)
case('barrier_of_an_exited_warp', 'Warp 1 exits, warp 0 waits for the whole CTA.', WARP + ' @!%p0 exit; bar.sync 0;', block=64)
case('barrier_with_a_count_of_an_exited_warp', 'Warp 1 exits, warp 0 waits for 64 threads.', WARP + ' @!%p0 exit; bar.sync 0, 64;', block=64)
case('barrier_odd_count', 'bar.sync with a count that is no multiple of 32.', 'ld.global.u32 %y, [%o]; add.u32 %y, %y, 33; bar.sync 0, %y;', block=64)
case('arrive_without_sync', 'All arrive at a barrier where nobody waits.', 'bar.arrive 1, 128;', block=64)
case('arrive_too_often', 'Warp 0 arrives twice at a barrier of 64 where warp 1 waits once.', WARP + ' @%p0 bra A; bar.sync 1, 64; bra B; A: bar.arrive 1, 64; bar.arrive 1, 64; B:', block=64)
case('reductions_of_two_kinds', 'Warp 0 executes bar.red.popc, warp 1 bar.red.or.', WARP + ' @%p0 bra A; bar.red.or.pred %p1, 0, %p0; selp.u32 %v, 1, 0, %p1; bra B; A: bar.red.popc.u32 %v, 0, %p0; B:', block=64)
case('cluster_barrier_of_an_exited_cta', 'CTA 1 exits, CTA 0 waits at the barrier of the cluster.', 'mov.u32 %x, %ctaid.x; setp.eq.u32 %p0, %x, 1; @%p0 exit; barrier.cluster.arrive; barrier.cluster.wait;', grid=2, cluster=2)
case('cluster_barrier_waits_without_arriving', 'Nobody arrives before waiting.', 'barrier.cluster.wait;', grid=2, cluster=2)
case('cluster_barrier_arrives_twice', 'Each thread arrives twice and waits once.', 'barrier.cluster.arrive; barrier.cluster.arrive; barrier.cluster.wait;', grid=2, cluster=2)
case('wgmma_of_three_warps', 'Three warps of a warpgroup execute wgmma.', """
    setp.ge.u32 %p0, %t, 96; @%p0 bra DONE; mov.u32 %s, m; shr.u32 %x, %s, 4; or.b32 %x, %x, 0x80000; mov.b32 %y, 16; mov.b64 %a, {%x, %y};
    mov.u32 %v, 0; mov.u32 %x, 0; mov.u32 %y, 0; mov.u32 %z, 0; wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%v, %x, %y, %z}, %a, %a, 0, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; DONE:""",
     block=128, before='.shared .align 1024 .b8 m[4096];')

# Polls that give up.
for how, wait in {'test_wait': 'mbarrier.test_wait.parity.shared.b64 %p0, [m], 0;', 'try_wait': 'mbarrier.try_wait.parity.shared.b64 %p0, [m], 0;',
                  'try_wait_with_a_limit': 'mbarrier.try_wait.parity.shared.b64 %p0, [m], 0, 100;'}.items():
    tries = 200000 if how == 'test_wait' else 20
    case(f'poll_{how}', f'A loop over {how} that gives up after {tries} tries.',
         f'mbarrier.init.shared.b64 [m], 1; mov.u32 %i, 0; L: {wait} @%p0 bra DONE; add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, {tries}; @%p1 bra L; DONE: mov.u32 %v, %i;',
         block=1, before='.shared .align 8 .b64 m;')
case('poll_flag', 'A loop over a flag that nobody raises, which gives up after 200,000 tries.',
     'mov.u32 %i, 0; L: ld.volatile.global.u32 %x, [%o]; setp.ne.u32 %p0, %x, 0; @%p0 bra DONE; add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, 200000; @%p1 bra L; DONE: mov.u32 %v, %i;')
case('poll_lock', 'The lanes of a warp take turns at a lock and give up after 100,000 tries.',
     'mov.u32 %i, 0; L: atom.global.cas.b32 %x, [%out+508], 0, 1; setp.eq.u32 %p0, %x, 0; @%p0 bra GOT; add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, 100000; @%p1 bra L; mov.u32 %v, 1; bra DONE; GOT: mov.u32 %v, 2; st.volatile.global.u32 [%out+508], 0; DONE:')

# mbarriers.
M = '.shared .align 8 .b64 m[2];'
def mbarrier(name, what, body, **more): case('mbarrier_' + name, what, body, block=1, before=M, **more)
mbarrier('not_initialised', 'An arrival at zeros.', 'mov.u64 %a, 0; st.shared.u64 [m], %a; mbarrier.arrive.shared.b64 %state, [m]; mov.b64 {%v, %x}, %state;')
mbarrier('test_of_garbage', 'test_wait of words that are no mbarrier.', 'mov.u64 %a, 0x123456789abcdef0; st.shared.u64 [m], %a; mbarrier.test_wait.parity.shared.b64 %p0, [m], 0; selp.u32 %v, 1, 0, %p0;')
mbarrier('initialised_twice', 'mbarrier.init where one lives.', 'mbarrier.init.shared.b64 [m], 2; mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.shared.b64 %state, [m]; mbarrier.test_wait.shared.b64 %p0, [m], %state; selp.u32 %v, 1, 0, %p0;')
mbarrier('used_after_inval', 'An arrival after mbarrier.inval.', 'mbarrier.init.shared.b64 [m], 2; mbarrier.inval.shared.b64 [m]; mbarrier.arrive.shared.b64 %state, [m]; mov.b64 {%v, %x}, %state;')
mbarrier('arrives_too_often', 'Three arrivals at once where the phase needs two.', 'mbarrier.init.shared.b64 [m], 2; mbarrier.arrive.shared.b64 %state, [m], 3; mbarrier.test_wait.parity.shared.b64 %p0, [m], 0; selp.u32 %v, 1, 0, %p0;')
mbarrier('no_complete_completes', 'arrive.noComplete that completes the phase.', 'mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.noComplete.shared.b64 %state, [m], 1; mbarrier.test_wait.parity.shared.b64 %p0, [m], 0; selp.u32 %v, 1, 0, %p0;')
mbarrier('count_of_zero', 'mbarrier.init with the count 0.', 'ld.global.u32 %x, [%o]; mbarrier.init.shared.b64 [m], %x; mbarrier.arrive.shared.b64 %state, [m]; mov.b64 {%v, %x}, %state;')
mbarrier('count_too_large', 'mbarrier.init with the count 2^20.', 'ld.global.u32 %x, [%o]; add.u32 %x, %x, 1048576; mbarrier.init.shared.b64 [m], %x; mbarrier.arrive.shared.b64 %state, [m]; mov.b64 {%v, %x}, %state;')
mbarrier('written_over', 'A plain store over an mbarrier that lives.', 'mbarrier.init.shared.b64 [m], 2; mov.u64 %a, 5; st.shared.u64 [m], %a; mbarrier.arrive.shared.b64 %state, [m]; mov.b64 {%v, %x}, %state;')
mbarrier('misaligned', 'mbarrier.init at an address that is no multiple of 8.', 'mov.u32 %s, m; add.u32 %s, %s, 4; mbarrier.init.shared.b64 [%s], 1; mov.u32 %v, 1;')

# Out of bounds.
DYNAMIC = '.extern .shared .align 16 .b8 m[];'
for distance in [8, 12, 64, 124, 128, 252, 256, 508, 512, 1020, 1024, 4096, 49144, 65536, 101376, 131072, 231424, 232448, 233468, 233472, 262144, 1048576]:
    case(f'shared_read_{distance}', f'A read of shared memory {distance} bytes from the start of 8 dynamic bytes.', f'mov.u32 %s, m; ld.shared.u32 %v, [%s+{distance}];', block=1, shared=8, before=DYNAMIC)
for distance in [8, 124, 128, 1020, 1024, 4096, 232448, 1048576]:
    case(f'shared_write_{distance}', f'A write to shared memory {distance} bytes from the start of 8 dynamic bytes, read back.', f'mov.u32 %s, m; mov.u32 %x, 99; st.shared.u32 [%s+{distance}], %x; ld.volatile.shared.u32 %v, [%s+{distance}];', block=1, shared=8, before=DYNAMIC)
for bytes in [8, 1000, 1016, 1024, 2000, 3072]:
    end = -(-bytes // 128) * 128
    for distance in sorted({end - 4, end, end + 896, -(-(bytes + 1024) // 1024) * 1024 - 1024, -(-(bytes + 1024) // 1024) * 1024 - 1028}):
        if distance >= bytes: case(f'shared_of_{bytes}_read_{distance}', f'A read {distance} bytes from the start of {bytes} dynamic bytes.', f'mov.u32 %s, m; ld.shared.u32 %v, [%s+{distance}];', block=1, shared=bytes, before=DYNAMIC)
case('shared_before', 'A read of the bytes before shared memory, which are the system\'s.', 'mov.u32 %s, m; sub.u32 %s, %s, 16; ld.shared.u32 %v, [%s];', block=1, shared=8, before=DYNAMIC)
case('shared_at_0', 'A read of shared memory at address 0.', 'mov.u32 %s, 0; ld.shared.u32 %v, [%s];', block=1, shared=8, before=DYNAMIC)
case('shared_generic_beyond', 'A read through a generic address 64 bytes from the start of 8 dynamic bytes.', 'mov.u64 %a, m; cvta.shared.u64 %a, %a; ld.u32 %v, [%a+64];', block=1, shared=8, before=DYNAMIC)
for distance in [16, 64, 508, 512, 1024, 4096, 65536, 1048576]:
    case(f'local_read_{distance}', f'A read of local memory {distance} bytes from the start of 16.', f'mov.u64 %a, l; ld.global.u32 %x, [%o]; st.local.u32 [%a], %x; cvt.u64.u32 %b, %x; add.u64 %a, %a, %b; ld.local.u32 %v, [%a+{distance}];', block=1, locals='.local .align 16 .b8 l[16];')
case('local_read_before', 'A read of local memory 64 bytes before it starts.', 'mov.u64 %a, l; ld.global.u32 %x, [%o]; st.local.u32 [%a], %x; cvt.u64.u32 %b, %x; add.u64 %a, %a, %b; ld.local.u32 %v, [%a+-64];', block=1, locals='.local .align 16 .b8 l[16];')
case('local_write_64', 'A write to local memory 64 bytes from the start of 16, read back.', 'mov.u64 %a, l; ld.global.u32 %x, [%o]; st.local.u32 [%a], %x; cvt.u64.u32 %b, %x; add.u64 %a, %a, %b; st.local.u32 [%a+64], 99; ld.local.u32 %v, [%a+64];', block=1, locals='.local .align 16 .b8 l[16];')
case('local_atomic', 'An atomic operation on local memory through a generic address.', 'mov.u64 %a, l; st.local.u32 [%a], %t; cvta.local.u64 %b, %a; atom.add.u32 %x, [%b], 5; ld.local.u32 %y, [%a]; mad.lo.u32 %v, %y, 100, %x;', locals='.local .align 16 .b8 l[16];')
case('local_of_another_thread', 'Lane 1 reads lane 0\'s local memory through a generic address: it is its own.', 'mov.u64 %a, l; add.u32 %x, %t, 50; st.local.u32 [%a], %x; cvta.local.u64 %b, %a; mov.b64 {%x, %y}, %b; shfl.sync.idx.b32 %x, %x, 0, 31, 0xffffffff; shfl.sync.idx.b32 %y, %y, 0, 31, 0xffffffff; mov.b64 %b, {%x, %y}; ld.u32 %v, [%b];', locals='.local .align 16 .b8 l[16];')
for distance in [512, 1024, 4096, 65536, 2097148 - 512]:
    case(f'global_read_{distance}', f'A read {distance} bytes from the start of a buffer of 512 bytes, in its page of 2 MiB.', f'ld.global.u32 %v, [%out+{distance}];', block=1)
for distance in [1 << 21, 1 << 25, 1 << 30, 1 << 40]:
    case(f'global_read_{distance}', f'A read {distance} bytes from the start of a buffer of 512 bytes, in another page.', f'mov.u64 %a, {distance}; add.u64 %a, %a, %out; ld.global.u32 %v, [%a];', block=1)
case('global_write_512', 'A write 512 bytes from the start of a buffer of 512 bytes, read back.', 'mov.u32 %x, 99; st.global.u32 [%out+512], %x; ld.volatile.global.u32 %v, [%out+512];', block=1)
case('global_null', 'A read through a null pointer.', 'mov.u64 %a, 0; ld.global.u32 %v, [%a];', block=1)
case('global_misaligned', 'A read of four bytes at an address that is no multiple of four.', 'ld.global.u32 %v, [%out+2];', block=1)
case('shared_misaligned', 'A read of four bytes of shared memory at an address that is no multiple of four.', 'mov.u32 %s, m; ld.shared.u32 %v, [%s+2];', block=1, shared=8, before=DYNAMIC)
case('constant_beyond', 'A read of constant memory 64 bytes from the start of 4.', 'mov.u64 %a, c; ld.global.u32 %x, [%o]; cvt.u64.u32 %b, %x; add.u64 %a, %a, %b; ld.const.u32 %v, [%a+64];', block=1, before='.const .align 4 .u32 c = 5;')
case('constant_far_beyond', 'A read of constant memory 64 KiB from the start of 4 bytes.', 'mov.u64 %a, c; ld.global.u32 %x, [%o]; cvt.u64.u32 %b, %x; add.u64 %a, %a, %b; ld.const.u32 %v, [%a+65536];', block=1, before='.const .align 4 .u32 c = 5;')
case('constant_written', 'A write to constant memory through a generic address.', 'mov.u64 %a, c; cvta.const.u64 %a, %a; mov.u32 %x, 9; st.u32 [%a], %x; ld.volatile.u32 %v, [%a];', block=1, before='.const .align 4 .u32 c = 5;')
case('wrong_space_shared', 'ld.shared with the generic address of a buffer.', 'ld.shared.u32 %v, [%out];', block=1, shared=8, before=DYNAMIC)
case('wrong_space_global_of_shared', 'ld.global with a generic address of shared memory.', 'mov.u64 %a, m; cvta.shared.u64 %a, %a; mov.u32 %x, 77; st.shared.u32 [m], %x; ld.global.u32 %v, [%a];', block=1, shared=8, before=DYNAMIC)
case('wrong_space_global_of_local', 'ld.global with a generic address of local memory.', 'mov.u64 %a, l; st.local.u32 [%a], %t; cvta.local.u64 %a, %a; ld.global.u32 %v, [%a];', block=1, locals='.local .align 16 .b8 l[16];')
case('parameter_beyond', 'A read of the parameters 8 bytes after the last.', 'ld.param.u32 %v, [out+8];', block=1)
case('mapa_of_no_cta', 'mapa with the rank of a CTA that is not in the cluster.', 'mov.u32 %s, m; ld.global.u32 %x, [%o]; add.u32 %x, %x, 5; mapa.shared::cluster.u32 %y, %s, %x; ld.shared::cluster.u32 %v, [%y];', block=1, grid=2, cluster=2, shared=8, before=DYNAMIC)
case('shared_of_an_exited_cta', 'A read of the shared memory of a CTA of the cluster that has exited.', 'mov.u32 %x, %ctaid.x; setp.eq.u32 %p0, %x, 1; @%p0 exit; mov.u32 %i, 0; L: add.u32 %i, %i, 1; nanosleep.u32 1000; setp.lt.u32 %p1, %i, 1000; @%p1 bra L; mov.u32 %s, m; mapa.shared::cluster.u32 %y, %s, 1; ld.shared::cluster.u32 %v, [%y];', block=1, grid=2, cluster=2, shared=8, before=DYNAMIC)


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for name, c in CASES.items(): open(f'{folder}/{name}.ptx', 'w').write(c['text'])


def one(name, level):
    """Runs in a process of its own and prints what came of it."""
    import ctypes as C
    import numpy as np
    import cu
    c = CASES[name]
    cu.init()
    module = C.c_void_p()
    log = C.create_string_buffer(8192)
    options = (C.c_int * 3)(7, 5, 6)
    values = (C.c_void_p * 3)(level, C.cast(log, C.c_void_p).value, len(log))
    result = cu.L.cuModuleLoadDataEx(C.byref(module), c['text'].encode() + b'\0', 3, options, values)
    if result:
        print(json.dumps({'load': result, 'log': log.value.decode()}))
        return
    function = C.c_void_p()
    cu.ck(cu.L.cuModuleGetFunction(C.byref(function), module, b'k'))
    # In a page of 2 MiB of its own, at its start.
    buffer = cu.Buf(4 << 20)
    buffer.put(np.zeros(4 << 20, np.uint8))
    start = C.c_uint64((buffer.p.value + (1 << 21) - 1) & -(1 << 21))
    if c['shared'] > 49152: cu.ck(cu.L.cuFuncSetAttribute(function, 8, c['shared']))
    parameters = (C.c_void_p * 1)(C.addressof(start))
    if c['cluster']:
        class Attribute(C.Structure): _fields_ = [('id', C.c_int), ('pad', C.c_int), ('x', C.c_uint), ('y', C.c_uint), ('z', C.c_uint), ('rest', C.c_ubyte * 52)]
        class Config(C.Structure): _fields_ = [('grid', C.c_uint * 3), ('block', C.c_uint * 3), ('shared', C.c_uint), ('stream', C.c_void_p), ('attributes', C.c_void_p), ('count', C.c_uint)]
        attribute = Attribute(4, 0, c['cluster'], 1, 1)
        config = Config((c['grid'], 1, 1), (c['block'], 1, 1), c['shared'], None, C.addressof(attribute), 1)
        result = cu.L.cuLaunchKernelEx(C.byref(config), function, parameters, None)
    else:
        result = cu.L.cuLaunchKernel(function, c['grid'], 1, 1, c['block'], 1, 1, c['shared'], None, parameters, None)
    result = result or cu.L.cuCtxSynchronize()
    answer = {'result': result}
    if result == 0:
        words = np.empty(WORDS, np.uint32)
        cu.ck(cu.L.cuMemcpyDtoH_v2(words.ctypes.data_as(C.c_void_p), start, C.c_size_t(words.nbytes)))
        answer['words'] = words.tobytes().hex()
    print(json.dumps(answer), flush=True)
    os._exit(0)


def measured(job):
    name, level = job
    try:
        done = subprocess.run([sys.executable, __file__, 'one', name, str(level)], capture_output=True, text=True, timeout=12, cwd=os.path.dirname(os.path.abspath(__file__)))
        lines = done.stdout.strip().splitlines()
        return name, level, json.loads(lines[-1]) if lines else {'crash': done.stderr[-500:]}
    except subprocess.TimeoutExpired:
        return name, level, {'result': None}


def packed(answers):
    """What two runs agreed on; the words as numbers, without the zeros at their end."""
    assert answers[0] == answers[1] and 'result' in answers[0], answers
    answer = answers[0]
    if 'words' not in answer: return answer
    words = bytes.fromhex(answer['words'])
    numbers = [int.from_bytes(words[i:i + 4], 'little') for i in range(0, len(words), 4)]
    while numbers and numbers[-1] == 0: numbers.pop()
    return {'result': 0, 'words': numbers}


def measure(out):
    jobs = [(name, level) for name in CASES for level in (4, 0) for _ in range(2)]
    answers = {}
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for name, level, answer in pool.map(measured, jobs): answers.setdefault(name, {}).setdefault(level, []).append(answer)
    lines = []
    for name in sorted(answers):
        fast, plain = packed(answers[name][4]), packed(answers[name][0])
        entry = {'O3': fast} if fast == plain else {'O3': fast, 'O0': plain}
        lines.append(f' {json.dumps(name)}: {json.dumps(entry, separators=(",", ":"))}')
    open(out, 'w').write('{\n' + ',\n'.join(lines) + '\n}\n')
    print(len(answers), 'kernels')


if __name__ == '__main__':
    if sys.argv[1] == 'write': write(sys.argv[2])
    elif sys.argv[1] == 'one': one(sys.argv[2], int(sys.argv[3]))
    else: measure(sys.argv[2])
