"""Small kernels that the tests launch."""

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

SAXPY = (
    HEAD
    + """
// y[i] = a * x[i] + y[i] for i < n
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 .ptr .global .align 4 x, .param .u64 .ptr .global .align 4 y)
{
    .reg .pred %out;
    .reg .b32 %i, %n, %t, %nt, %cta;
    .reg .f32 %a, %x, %y;
    .reg .b64 %px, %py;
    mov.u32 %t, %tid.x;
    mov.u32 %nt, %ntid.x;
    mov.u32 %cta, %ctaid.x;
    mad.lo.s32 %i, %cta, %nt, %t;
    ld.param.u32 %n, [n];
    setp.ge.u32 %out, %i, %n;
    @%out ret;
    ld.param.f32 %a, [a];
    ld.param.u64 %px, [x];
    ld.param.u64 %py, [y];
    mad.wide.u32 %px, %i, 4, %px;
    mad.wide.u32 %py, %i, 4, %py;
    ld.global.f32 %x, [%px];
    ld.global.f32 %y, [%py];
    fma.rn.f32 %y, %a, %x, %y;
    st.global.f32 [%py], %y;
    ret;
}
"""
)

# out[i] = i, one word for each thread of all CTAs.
COUNT = (
    HEAD
    + """
.visible .entry count(.param .u64 out)
{
    .reg .b32 %i, %t, %nt, %cta;
    .reg .b64 %p;
    mov.u32 %t, %tid.x;
    mov.u32 %nt, %ntid.x;
    mov.u32 %cta, %ctaid.x;
    mad.lo.s32 %i, %cta, %nt, %t;
    ld.param.u64 %p, [out];
    mad.wide.u32 %p, %i, 4, %p;
    st.global.u32 [%p], %i;
    ret;
}
"""
)

# Two CTAs write the same word, which nothing orders.
RACE = (
    HEAD
    + """
.visible .entry race(.param .u64 out)
{
    .reg .b32 %cta;
    .reg .b64 %p;
    mov.u32 %cta, %ctaid.x;
    ld.param.u64 %p, [out];
    st.global.u32 [%p], %cta;
    ret;
}
"""
)

# Runs until it is stopped.
ENDLESS = HEAD + ".visible .entry endless()\n{\nagain:\n    bra again;\n}\n"

# Parameters of every kind, stored side by side at multiples of eight bytes.
KINDS = (
    HEAD
    + """
.visible .entry kinds(.param .u64 out, .param .u8 a, .param .s16 b, .param .s32 c, .param .u64 d, .param .f64 e, .param .b32 f)
{
    .reg .b16 %h;
    .reg .b32 %r;
    .reg .b64 %p, %d;
    ld.param.u64 %p, [out];
    ld.param.u8 %h, [a];
    st.global.u8 [%p], %h;
    ld.param.u16 %h, [b];
    st.global.u16 [%p+8], %h;
    ld.param.b32 %r, [c];
    st.global.b32 [%p+16], %r;
    ld.param.b64 %d, [d];
    st.global.b64 [%p+24], %d;
    ld.param.b64 %d, [e];
    st.global.b64 [%p+32], %d;
    ld.param.b32 %r, [f];
    st.global.b32 [%p+40], %r;
    ret;
}
"""
)

# A structure by value, a variable, and a line of printf's.
STRUCTURE = (
    HEAD
    + """
.visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};
.visible .entry structure(.param .align 4 .b8 pair[8], .param .u64 out)
{
    .reg .b32 %a, %b;
    .reg .b64 %p, %t;
    ld.param.u32 %a, [pair];
    ld.param.u32 %b, [pair+4];
    add.u32 %a, %a, %b;
    mov.u64 %t, table;
    ld.global.u32 %b, [%t+12];
    add.u32 %a, %a, %b;
    st.global.u32 [%t], %a;
    ld.param.u64 %p, [out];
    st.global.u32 [%p], %a;
    ret;
}
"""
)

PRINT = (
    HEAD
    + """
.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 list);
.global .align 1 .b8 text[12] = {104, 101, 108, 108, 111, 32, 37, 100, 10, 0};
.visible .entry print()
{
    .local .align 8 .b8 list[8];
    .reg .b32 %t;
    .reg .b64 %f, %l;
    mov.u32 %t, %tid.x;
    mov.u64 %l, list;
    st.local.u32 [%l], %t;
    cvta.local.u64 %l, %l;
    mov.u64 %f, text;
    cvta.global.u64 %f, %f;
    {
        .param .b64 format;
        .param .b64 arguments;
        .param .b32 status;
        st.param.b64 [format], %f;
        st.param.b64 [arguments], %l;
        call.uni (status), vprintf, (format, arguments);
    }
    ret;
}
"""
)
