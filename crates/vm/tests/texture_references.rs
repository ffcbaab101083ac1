//! Textures and samplers that a module declares itself: their handles, what is bound to them, and what is wrong when
//! nothing is.

mod common_texture;

use common_texture::{Answer, Bench, bits, text};
use ptxvm_memory::AllocationKind;
use ptxvm_texture::{AddressMode, Filter, Image, Kind, Object, Sampler, Shape, Surface, Texture};
use ptxvm_vm::{Buffer, LaunchOptions, Module};

const PLANE: Shape = Shape { width: 5, height: 4, depth: 0, layers: 0, cube: false, levels: 1 };

const LOOK: &str = "tex.2d.v4.f32.f32 {o0, o1, o2, o3}, [tr, {i0, i1}];";

fn bind(bench: &Bench, module: &Module, name: &str) -> Result<Image, String> {
    let reference = module.reference(name).ok_or("it is not declared")?;
    let (image, sampler) = (bench.image(&PLANE), reference.sampler);
    let texture = Texture { image: image.clone(), sampler };
    assert!(bench.device.objects().bind(reference.handle, Some(Object::Texture(texture))));
    Ok(image)
}

fn load(bench: &Bench, target: &str, declared: &str, code: &str) -> Result<Module, String> {
    bench.device.load(&text(target, declared, code)).map_err(|e| e.to_string())
}

/// What the first component is with these coordinates.
fn at(bench: &Bench, module: &Module, coordinates: &[f32]) -> Result<f32, String> {
    Ok(f32::from_bits(bench.launch(module, 0, &[bits(coordinates)])?[0].words[0]))
}

#[test]
fn a_reference_shows_what_is_bound_to_it() -> Result<(), String> {
    let bench = Bench::new();
    let module = load(&bench, "", ".global .texref tr = { addr_mode_0 = clamp_to_edge };", LOOK)?;
    let unbound = at(&bench, &module, &[1.5, 2.5]).err().ok_or("there is nothing to be seen")?;
    assert!(unbound.contains("nothing is bound to the texture reference `tr`"), "{unbound}");
    bind(&bench, &module, "tr")?;
    assert_eq!(at(&bench, &module, &[1.5, 2.5])?, 12.0);
    assert_eq!(at(&bench, &module, &[-7.5, 2.5])?, 11.0);
    Ok(())
}

#[test]
fn its_address_is_its_handle() -> Result<(), String> {
    let bench = Bench::new();
    let declared = ".global .texref tr; .global .surfref sr; .global .u64 address = tr;";
    let code = "mov.u64 w0, tr; mov.u64 w1, sr; ld.global.u64 w2, [address]; cvta.global.u64 w3, tr;
        tex.2d.v4.f32.f32 {o0, _, _, _}, [w0, {i0, i1}];
        tex.2d.v4.f32.f32 {o1, _, _, _}, [w2, {i0, i1}];
        tex.2d.v4.f32.f32 {o2, _, _, _}, [w3, {i0, i1}];
        txq.width.b32 o3, [tr];
        istypep.texref p, w0;";
    let module = load(&bench, "", declared, code)?;
    bind(&bench, &module, "tr")?;
    let found = bench.launch(&module, 0, &[bits(&[1.5, 2.5])])?[0];
    let value = 12f32.to_bits();
    assert_eq!(found, Answer { words: [value, value, value, 5], flag: true });
    for (kind, register, is) in
        [("texref", "w0", true), ("surfref", "w0", false), ("surfref", "w1", true), ("texref", "t", false)]
    {
        let code = format!("mov.u64 w0, tr; mov.u64 w1, sr; istypep.{kind} p, {register};");
        let texture = bench.texture(&PLANE, Sampler::default());
        assert_eq!(bench.run("", declared, texture, &code, &[vec![]])?[0].flag, is, "{kind} {register}");
    }
    Ok(())
}

#[test]
fn the_elements_of_an_array_have_handles_of_their_own() -> Result<(), String> {
    let bench = Bench::new();
    let declared = ".global .texref tr[3] = { {}, { addr_mode_0 = clamp_to_edge }, {} };";
    let code = "mov.u64 w0, tr; mov.u64 w1, tr[2]; mov.u64 w2, tr+8; mov.u64 w3, tr[i0];
        sub.u64 w1, w1, w0; sub.u64 w2, w2, w0; sub.u64 w3, w3, w0;
        cvt.u32.u64 o0, w0; cvt.u32.u64 o1, w1; cvt.u32.u64 o2, w2; cvt.u32.u64 o3, w3;
        add.u64 w0, w0, 1; istypep.texref p, w0;";
    let module = load(&bench, "", declared, code)?;
    let first = module.reference("tr").ok_or("it is declared")?.handle as u32;
    let found = bench.launch(&module, 0, &[vec![2]])?[0];
    assert_eq!(found, Answer { words: [first, 2, 1, 2], flag: true });
    let refused = load(&bench, "", ".global .texref tr[1000000];", "");
    assert!(refused.is_err_and(|why| why.contains("an array of more than 4096 textures")));
    Ok(())
}

#[test]
fn initialisers_say_how_to_sample() -> Result<(), String> {
    let bench = Bench::new();
    let declared =
        ".global .texref a = { filter_mode = linear, addr_mode_1 = mirror, normalized_coords = 1 };
        .global .texref b = { addr_mode_2 = clamp_to_border, width = 4 };
        .global .samplerref c = { addr_mode_0 = clamp_ogl, force_unnormalized_coords = 1 };
        .global .samplerref d;";
    let module = load(&bench, ", texmode_independent", declared, "")?;
    let sampler = |name: &str| module.reference(name).map(|reference| reference.sampler);
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    let plain = Sampler { address: [Wrap; 3], ..Sampler::default() };
    let linear = Sampler { filter: Filter::Linear, address: [Wrap, Mirror, Wrap], normalized: true, ..plain };
    assert_eq!(sampler("a"), Some(linear));
    assert_eq!(sampler("b"), Some(Sampler { address: [Wrap, Wrap, Border], ..plain }));
    assert_eq!(sampler("c"), Some(Sampler { address: [Clamp, Wrap, Wrap], ..plain }));
    assert_eq!(sampler("d"), Some(Sampler { normalized: true, ..plain }));
    assert_eq!(sampler("e"), None);
    Ok(())
}

#[test]
fn samplers_of_independent_mode_sample_any_texture() -> Result<(), String> {
    let bench = Bench::new();
    let declared = ".global .texref tr = { normalized_coords = 1 };
        .global .samplerref edge = { addr_mode_0 = clamp_to_edge, addr_mode_1 = clamp_to_edge, force_unnormalized_coords = 1 };
        .global .samplerref border = { addr_mode_0 = clamp_to_border, addr_mode_1 = clamp_to_border, force_unnormalized_coords = 1 };";
    let code = "mov.u64 w0, border;
        tex.2d.v4.f32.f32 {o0, _, _, _}, [tr, edge, {i0, i1}];
        tex.2d.v4.f32.f32 {o1, _, _, _}, [tr, w0, {i0, i1}];
        txq.addr_mode_0.b32 o2, [border];
        txq.force_unnormalized_coords.b32 o3, [w0];";
    let module = load(&bench, ", texmode_independent", declared, code)?;
    bind(&bench, &module, "tr")?;
    let found = bench.launch(&module, 0, &[bits(&[-7.5, 2.5])])?[0];
    assert_eq!(found.words, [11f32.to_bits(), 0, 4, 1]);
    let wrong = load(
        &bench,
        ", texmode_independent",
        declared,
        "tex.2d.v4.f32.f32 {o0, _, _, _}, [tr, t, {i0, i1}];",
    )?;
    bind(&bench, &wrong, "tr")?;
    let texture = bench.texture(&PLANE, Sampler::default());
    let refused = bench.launch(&wrong, texture, &[vec![]]).err().ok_or("it is no sampler")?;
    assert!(refused.contains("is a texture, not a sampler"), "{refused}");
    Ok(())
}

#[test]
fn a_kernel_has_references_among_its_parameters() -> Result<(), Box<dyn std::error::Error>> {
    let bench = Bench::new();
    let module = bench.device.load(
        ".version 9.1\n.target sm_90\n.address_size 64\n
        .visible .entry k(.param .texref tr, .param .u64 out) {
            .reg .f32 %f<4>; .reg .b64 %p;
            ld.param.u64 %p, [out];
            tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tr, {0f3FC00000, 0f40200000}];
            st.global.f32 [%p], %f0;
            ret;
        }",
    )?;
    assert_eq!(module.reference("tr"), None, "it is the kernel's");
    let own = module.references().next().ok_or("there is one")?;
    assert_eq!((own.name, own.kind, own.kernel), ("tr", Kind::Texture, Some("k")));
    let texture = Texture { image: bench.image(&PLANE), sampler: own.sampler };
    assert!(bench.device.objects().bind(own.handle, Some(Object::Texture(texture))));
    let out = Buffer::new(&bench.device, 4)?;
    // It takes no room among the parameters.
    module.kernel("k")?.launch(&LaunchOptions::new(1, 1).argument(&[][..]).argument(&out))?;
    assert_eq!(out.to_vec::<f32>(), [12.0]);
    Ok(())
}

#[test]
fn modules_share_references() -> Result<(), Box<dyn std::error::Error>> {
    let bench = Bench::new();
    let user = text("", ".extern .global .texref tr;", LOOK);
    let owner = ".version 9.1\n.target sm_90\n.address_size 64\n
        .visible .global .texref tr = { addr_mode_0 = clamp_to_edge };";
    let module = bench.device.load_linked(&[("user.ptx", &user), ("owner.ptx", owner)])?;
    assert_eq!(module.references().count(), 1);
    bind(&bench, &module, "tr")?;
    assert_eq!(at(&bench, &module, &[-7.5, 2.5])?, 11.0);
    let other = owner.replace("texref tr = { addr_mode_0 = clamp_to_edge }", "surfref tr");
    let refused = bench.device.load_linked(&[("user.ptx", &user), ("other.ptx", &other)]);
    assert!(refused.is_err_and(|why| why.to_string().contains("disagree about `tr`")));
    let refused = bench.device.load(&user);
    assert!(refused.is_err_and(|why| why.to_string().contains("tr")), "nobody defines it");
    Ok(())
}

#[test]
fn what_is_gone_is_found_out() -> Result<(), Box<dyn std::error::Error>> {
    let bench = Bench::new();
    let objects = bench.device.objects();
    let code = "tex.2d.v4.f32.f32 {o0, o1, o2, o3}, [t, {i0, i1}];";
    let why = |texture: u64| bench.one(texture, code, &[]).err().unwrap_or_default();
    let destroyed = bench.texture(&PLANE, Sampler::default());
    assert!(objects.destroy(destroyed, Kind::Texture));
    assert!(why(destroyed).contains("has been destroyed"), "{}", why(destroyed));
    let image = bench.image(&PLANE);
    let surface = objects.create(Object::Surface(Surface { image: image.clone() }));
    assert!(why(surface).contains("is a surface, not a texture"), "{}", why(surface));
    let freed =
        objects.create(Object::Texture(Texture { image: image.clone(), sampler: Sampler::default() }));
    assert_eq!(why(freed), "");
    bench.device.memory().free_kind(image.address, AllocationKind::Array)?;
    assert!(why(freed).contains("freed"), "{}", why(freed));
    assert!(why(0).contains("0x0 is not the handle of a texture"), "{}", why(0));
    // The references of a module go with it.
    let module = load(&bench, "", ".global .texref tr;", LOOK)?;
    bind(&bench, &module, "tr")?;
    let handle = module.reference("tr").ok_or("it is declared")?.handle;
    assert_eq!(why(handle), "");
    drop(module);
    assert!(why(handle).contains("has been destroyed"), "{}", why(handle));
    Ok(())
}
