//! The entry points that launch kernels.

use std::sync::Arc;

use super::attributes::{CUlaunchConfig, Wishes};
use super::check::{check_cooperative, check_shape, check_shared};
use super::cluster;
use super::parameters::collect;
use crate::abi::{Answer, CUresult, Host, In};
use crate::entry::entry;
use crate::module::{CUfunction, launchable_in};
use crate::stream::{CUstream, record_after, resolve};
use crate::work::{KernelLaunch, Operation, Ties};

entry! {
    fn cuLaunchKernel [cuLaunchKernel_ptsz] (
        function: CUfunction,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared: u32,
        stream: CUstream,
        parameters: In<In<u8>>,
        extra: In<Host>,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let shape = LaunchShape { grid, block, shared, stream };
        launch(function, &shape, Wishes::default(), parameters, extra)
    }

    fn cuLaunchKernelEx [cuLaunchKernelEx_ptsz] (
        config: In<CUlaunchConfig>,
        function: CUfunction,
        parameters: In<In<u8>>,
        extra: In<Host>,
    ) {
        let CUlaunchConfig { grid, block, shared, stream, attributes, count } = config.get()?;
        let wishes = Wishes::read(attributes, count)?;
        launch(function, &LaunchShape { grid, block, shared, stream }, wishes, parameters, extra)
    }

    fn cuLaunchCooperativeKernel [cuLaunchCooperativeKernel_ptsz] (
        function: CUfunction,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared: u32,
        stream: CUstream,
        parameters: In<In<u8>>,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let wishes = Wishes { cooperative: true, ..Wishes::default() };
        launch(function, &LaunchShape { grid, block, shared, stream }, wishes, parameters, In::NULL)
    }
}

/// What every way to launch says.
struct LaunchShape {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: CUstream,
}

/// Checks a launch and gives it to its stream.
fn launch(
    function: CUfunction,
    shape: &LaunchShape,
    wishes: Wishes,
    parameters: In<In<u8>>,
    extra: In<Host>,
) -> Answer {
    let &LaunchShape { grid, block, shared, stream } = shape;
    let stream = resolve(stream)?;
    let function = launchable_in(function.number(), || stream.context())?;
    if function.context.as_ptr() != Arc::as_ptr(&stream.context()?) {
        return Err(CUresult::INVALID_HANDLE);
    }
    let parameters = collect(&function, parameters, extra)?;
    let Wishes { cooperative, early, .. } = wishes;
    let ties = Ties::default();
    let mut launch =
        KernelLaunch { function, grid, block, shared, parameters, cooperative, early, cluster: None, ties };
    check_shape(&launch)?;
    launch.cluster = cluster::of(&launch.function, grid, wishes.cluster)?;
    check_shared(&launch)?;
    check_cooperative(&launch)?;
    if let Some(preferred) = wishes.preferred {
        cluster::check_preferred(launch.cluster, grid, preferred)?;
    }
    stream.submit(Operation::Kernel(launch), &[])?;
    wishes.events.iter().try_for_each(|(event, edge)| record_after(event, &stream, *edge))
}
