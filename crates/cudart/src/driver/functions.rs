//! The driver's functions that this library calls, as `cuda.h` declares them.
#![allow(unsafe_code, non_snake_case, reason = "the names are the driver's")]

use ptxvm_abi::{CUresult, Host, OutAny, Text};

use super::argument::Argument;
use super::library::Address;
use crate::error::{Answer, CudaError};
use crate::layout::{
    AccessDesc, ArrayDescriptor, ArrayRequirements, AttributeValue, BatchAttributes, BatchOperation, Cuboid,
    CuboidBetween, DriverKernelNode, DriverNode, EdgeData, HostNode, InstantiateParams, IpcHandle,
    LaunchConfig, MemAllocNode, MemLocation, MemsetNode, PoolPointer, PoolProps, ResourceDescriptor,
    SparseProperties, TextureDescriptor, UpdateResult, ViewDescriptor,
};

macro_rules! driver {
    ($($name:ident($($argument:ident: $ty:ty),*);)*) => {$(
        /// The driver's function of this name.
        ///
        /// # Errors
        /// What it answers, or that there is no such function.
        #[allow(clippy::too_many_arguments, reason = "the driver's functions have as many")]
        pub fn $name($($argument: impl Argument<$ty>),*) -> Answer {
            const NAME: &std::ffi::CStr =
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name has no zero"),
                };
            static ADDRESS: Address = Address::new(NAME);
            let address = ADDRESS.get()?;
            type Function = unsafe extern "C" fn($($ty),*) -> CUresult;
            // SAFETY: the address is that of the driver's function of this name, which has this type in cuda.h.
            let function = unsafe { std::mem::transmute::<usize, Function>(address) };
            // SAFETY: pointers are places of ours, good for the call, or come from a program that promises the same of
            // them to the runtime.
            match unsafe { function($($argument.passed()),*) } {
                CUresult::SUCCESS => Ok(()),
                result => Err(CudaError::from(result)),
            }
        }
    )*};
}

driver! {
    cuInit(flags: u32);
    cuDriverGetVersion(version: *mut i32);
    cuDeviceGetCount(count: *mut i32);
    cuDeviceGetName(name: OutAny, length: i32, device: i32);
    cuDeviceGetUuid(uuid: *mut [u8; 16], device: i32);
    cuDeviceGetLuid(luid: *mut [u8; 8], mask: *mut u32, device: i32);
    cuDeviceTotalMem(bytes: *mut usize, device: i32);
    cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32);
    cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, format: u32, channels: u32, device: i32);
    cuDeviceGetByPCIBusId(device: *mut i32, id: Text);
    cuDeviceGetPCIBusId(id: OutAny, length: i32, device: i32);
    cuDeviceGetDefaultMemPool(pool: *mut u64, device: i32);
    cuDeviceGetMemPool(pool: *mut u64, device: i32);
    cuDeviceSetMemPool(device: i32, pool: u64);
    cuDeviceGetP2PAttribute(value: *mut i32, attribute: u32, from: i32, to: i32);
    cuDeviceCanAccessPeer(can: *mut i32, device: i32, peer: i32);
    cuDeviceGetGraphMemAttribute(device: i32, attribute: u32, value: Host);
    cuDeviceSetGraphMemAttribute(device: i32, attribute: u32, value: Host);
    cuDeviceGraphMemTrim(device: i32);
    cuFlushGPUDirectRDMAWrites(target: u32, scope: u32);
    cuDevicePrimaryCtxRetain(context: *mut u64, device: i32);
    cuDevicePrimaryCtxReset(device: i32);
    cuDevicePrimaryCtxSetFlags(device: i32, flags: u32);
    cuDevicePrimaryCtxGetState(device: i32, flags: *mut u32, active: *mut i32);
    cuCtxGetCurrent(context: *mut u64);
    cuCtxSetCurrent(context: u64);
    cuCtxGetFlags(flags: *mut u32);
    cuCtxSynchronize(context: u64);
    cuCtxSetLimit(limit: u32, value: usize);
    cuCtxGetLimit(value: *mut usize, limit: u32);
    cuCtxGetCacheConfig(config: *mut u32);
    cuCtxSetCacheConfig(config: u32);
    cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32);
    cuCtxResetPersistingL2Cache();
    cuGetProcAddress(name: Text, function: *mut usize, version: i32, flags: u64, status: *mut u32);
    cuGetExportTable(table: *mut usize, id: *const [u8; 16]);

    cuLibraryLoadData(
        library: *mut u64, code: Host, jit: *const u32, jit_values: *const Host, jit_count: u32, options: *const u32,
        values: *const Host, count: u32
    );
    cuLibraryLoadFromFile(
        library: *mut u64, file: Text, jit: *const u32, jit_values: *const Host, jit_count: u32, options: *const u32,
        values: *const Host, count: u32
    );
    cuLibraryUnload(library: u64);
    cuLibraryGetKernel(kernel: *mut u64, library: u64, name: Text);
    cuLibraryGetKernelCount(count: *mut u32, library: u64);
    cuLibraryEnumerateKernels(kernels: *mut u64, most: u32, library: u64);
    cuLibraryGetGlobal(address: *mut u64, bytes: *mut usize, library: u64, name: Text);
    cuLibraryGetManaged(address: *mut u64, bytes: *mut usize, library: u64, name: Text);
    cuLibraryGetUnifiedFunction(function: *mut Host, library: u64, name: Text);
    cuKernelGetFunction(function: *mut u64, kernel: u64);
    cuKernelGetAttribute(value: *mut i32, attribute: u32, kernel: u64, device: i32);
    cuKernelSetAttribute(attribute: u32, value: i32, kernel: u64, device: i32);
    cuKernelSetCacheConfig(kernel: u64, config: u32, device: i32);
    cuKernelGetName(name: *mut Text, kernel: u64);
    cuKernelGetParamInfo(kernel: u64, index: usize, offset: *mut usize, size: *mut usize);
    cuKernelGetParamCount(kernel: u64, count: *mut usize);
    cuLinkCreate(count: u32, options: *const u32, values: *const Host, state: *mut u64);
    cuLinkAddData(
        state: u64, kind: u32, data: Host, size: usize, name: Text, count: u32, options: *const u32,
        values: *const Host
    );
    cuLinkComplete(state: u64, image: *mut Host, size: *mut usize);
    cuLinkDestroy(state: u64);

    cuLaunchKernel(
        kernel: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared: u32,
        stream: u64, parameters: Host, extra: Host
    );
    cuLaunchCooperativeKernel(
        kernel: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared: u32,
        stream: u64, parameters: Host
    );
    cuLaunchKernelEx(config: *const LaunchConfig, kernel: u64, parameters: Host, extra: Host);
    cuLaunchHostFunc(stream: u64, function: usize, data: Host, sync: u32);
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut i32, kernel: u64, block: i32, shared: usize, flags: u32
    );
    cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, kernel: u64, blocks: i32, block: i32);
    cuOccupancyMaxPotentialClusterSize(size: *mut i32, kernel: u64, config: *const LaunchConfig);
    cuOccupancyMaxActiveClusters(clusters: *mut i32, kernel: u64, config: *const LaunchConfig);

    cuMemGetInfo(free: *mut usize, total: *mut usize);
    cuMemAlloc(address: *mut u64, bytes: usize);
    cuMemAllocPitch(address: *mut u64, pitch: *mut usize, width: usize, height: usize, element: u32);
    cuMemFree(address: u64);
    cuMemFreeHost(pointer: Host);
    cuMemHostAlloc(pointer: *mut Host, bytes: usize, flags: u32);
    cuMemHostGetDevicePointer(address: *mut u64, pointer: Host, flags: u32);
    cuMemHostGetFlags(flags: *mut u32, pointer: Host);
    cuMemHostRegister(pointer: Host, bytes: usize, flags: u32);
    cuMemHostUnregister(pointer: Host);
    cuMemAllocManaged(address: *mut u64, bytes: usize, flags: u32);
    cuMemAdvise(address: u64, bytes: usize, advice: u32, location: MemLocation);
    cuMemPrefetchAsync(address: u64, bytes: usize, location: MemLocation, flags: u32, stream: u64);
    cuMemPrefetchBatchAsync(
        addresses: *const u64, sizes: *const usize, count: usize, locations: *const MemLocation,
        indices: *const usize, location_count: usize, flags: u64, stream: u64
    );
    cuMemDiscardBatchAsync(addresses: *const u64, sizes: *const usize, count: usize, flags: u64, stream: u64);
    cuMemDiscardAndPrefetchBatchAsync(
        addresses: *const u64, sizes: *const usize, count: usize, locations: *const MemLocation,
        indices: *const usize, location_count: usize, flags: u64, stream: u64
    );
    cuMemRangeGetAttribute(data: OutAny, size: usize, attribute: u32, address: u64, bytes: usize);
    cuMemRangeGetAttributes(
        data: *const OutAny, sizes: *const usize, attributes: *const u32, count: usize, address: u64, bytes: usize
    );
    cuPointerGetAttribute(data: OutAny, attribute: u32, address: u64);
    cuIpcGetMemHandle(handle: *mut IpcHandle, address: u64);
    cuIpcOpenMemHandle(address: *mut u64, handle: IpcHandle, flags: u32);
    cuIpcCloseMemHandle(address: u64);
    cuIpcGetEventHandle(handle: *mut IpcHandle, event: u64);
    cuIpcOpenEventHandle(event: *mut u64, handle: IpcHandle);
    cuMemAllocAsync(address: *mut u64, bytes: usize, stream: u64);
    cuMemAllocFromPoolAsync(address: *mut u64, bytes: usize, pool: u64, stream: u64);
    cuMemFreeAsync(address: u64, stream: u64);
    cuMemPoolCreate(pool: *mut u64, properties: *const PoolProps);
    cuMemPoolDestroy(pool: u64);
    cuMemPoolTrimTo(pool: u64, keep: usize);
    cuMemPoolSetAttribute(pool: u64, attribute: u32, value: Host);
    cuMemPoolGetAttribute(pool: u64, attribute: u32, value: Host);
    cuMemPoolSetAccess(pool: u64, descriptors: *const AccessDesc, count: usize);
    cuMemPoolGetAccess(flags: *mut u32, pool: u64, location: *const MemLocation);
    cuMemPoolExportToShareableHandle(handle: Host, pool: u64, kind: u32, flags: u64);
    cuMemPoolImportFromShareableHandle(pool: *mut u64, handle: Host, kind: u32, flags: u64);
    cuMemPoolExportPointer(data: *mut PoolPointer, address: u64);
    cuMemPoolImportPointer(address: *mut u64, pool: u64, data: *const PoolPointer);
    cuMemGetDefaultMemPool(pool: *mut u64, location: *const MemLocation, kind: u32);
    cuMemGetMemPool(pool: *mut u64, location: *const MemLocation, kind: u32);
    cuMemSetMemPool(location: *const MemLocation, kind: u32, pool: u64);

    cuMemcpy(to: u64, from: u64, bytes: usize);
    cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: u64);
    cuMemcpyHtoD(to: u64, from: Host, bytes: usize);
    cuMemcpyHtoDAsync(to: u64, from: Host, bytes: usize, stream: u64);
    cuMemcpyDtoH(to: Host, from: u64, bytes: usize);
    cuMemcpyDtoHAsync(to: Host, from: u64, bytes: usize, stream: u64);
    cuMemcpyDtoD(to: u64, from: u64, bytes: usize);
    cuMemcpyDtoDAsync(to: u64, from: u64, bytes: usize, stream: u64);
    cuMemcpy3D(copy: *const Cuboid);
    cuMemcpy3DAsync(copy: *const Cuboid, stream: u64);
    cuMemcpy3DPeer(copy: *const CuboidBetween);
    cuMemcpy3DPeerAsync(copy: *const CuboidBetween, stream: u64);
    cuMemcpyBatchAsync(
        to: *const u64, from: *const u64, sizes: *const usize, count: usize, attributes: *const BatchAttributes,
        indices: *const usize, attribute_count: usize, stream: u64
    );
    cuMemcpy3DBatchAsync(count: usize, operations: *const BatchOperation, flags: u64, stream: u64);
    cuMemcpyWithAttributesAsync(
        to: u64, from: u64, bytes: usize, attributes: *const BatchAttributes, stream: u64
    );
    cuMemcpy3DWithAttributesAsync(operation: *const BatchOperation, flags: u64, stream: u64);
    cuMemsetD8(to: u64, value: u8, count: usize);
    cuMemsetD8Async(to: u64, value: u8, count: usize, stream: u64);
    cuMemsetD2D8(to: u64, pitch: usize, value: u8, width: usize, height: usize);
    cuMemsetD2D8Async(to: u64, pitch: usize, value: u8, width: usize, height: usize, stream: u64);

    cuArray3DCreate(array: *mut u64, descriptor: *const ArrayDescriptor);
    cuArray3DGetDescriptor(descriptor: *mut ArrayDescriptor, array: u64);
    cuArrayDestroy(array: u64);
    cuArrayGetPlane(plane: *mut u64, array: u64, index: u32);
    cuArrayGetMemoryRequirements(requirements: *mut ArrayRequirements, array: u64, device: i32);
    cuMipmappedArrayGetMemoryRequirements(requirements: *mut ArrayRequirements, array: u64, device: i32);
    cuArrayGetSparseProperties(properties: *mut SparseProperties, array: u64);
    cuMipmappedArrayGetSparseProperties(properties: *mut SparseProperties, array: u64);
    cuMipmappedArrayCreate(array: *mut u64, descriptor: *const ArrayDescriptor, levels: u32);
    cuMipmappedArrayGetLevel(array: *mut u64, mipmapped: u64, level: u32);
    cuMipmappedArrayDestroy(array: u64);
    cuTexObjectCreate(
        object: *mut u64, resource: *const ResourceDescriptor, texture: *const TextureDescriptor,
        view: *const ViewDescriptor
    );
    cuTexObjectDestroy(object: u64);
    cuTexObjectGetResourceDesc(resource: *mut ResourceDescriptor, object: u64);
    cuTexObjectGetTextureDesc(texture: *mut TextureDescriptor, object: u64);
    cuTexObjectGetResourceViewDesc(view: *mut ViewDescriptor, object: u64);
    cuSurfObjectCreate(object: *mut u64, resource: *const ResourceDescriptor);
    cuSurfObjectDestroy(object: u64);
    cuSurfObjectGetResourceDesc(resource: *mut ResourceDescriptor, object: u64);

    cuStreamCreate(stream: *mut u64, flags: u32);
    cuStreamCreateWithPriority(stream: *mut u64, flags: u32, priority: i32);
    cuStreamDestroy(stream: u64);
    cuStreamGetPriority(stream: u64, priority: *mut i32);
    cuStreamGetFlags(stream: u64, flags: *mut u32);
    cuStreamGetId(stream: u64, id: *mut u64);
    cuStreamGetDevice(stream: u64, device: *mut i32);
    cuStreamCopyAttributes(to: u64, from: u64);
    cuStreamGetAttribute(stream: u64, attribute: u32, value: *mut AttributeValue);
    cuStreamSetAttribute(stream: u64, attribute: u32, value: *const AttributeValue);
    cuStreamWaitEvent(stream: u64, event: u64, flags: u32);
    cuStreamAddCallback(stream: u64, callback: usize, data: Host, flags: u32);
    cuStreamSynchronize(stream: u64);
    cuStreamQuery(stream: u64);
    cuStreamAttachMemAsync(stream: u64, address: u64, bytes: usize, flags: u32);
    cuStreamBeginCapture(stream: u64, mode: u32);
    cuStreamBeginCaptureToGraph(
        stream: u64, graph: u64, dependencies: *const u64, edges: *const EdgeData, count: usize, mode: u32
    );
    cuStreamEndCapture(stream: u64, graph: *mut u64);
    cuStreamIsCapturing(stream: u64, status: *mut u32);
    cuStreamGetCaptureInfo(
        stream: u64, status: *mut u32, id: *mut u64, graph: *mut u64, dependencies: *mut Host, edges: *mut Host,
        count: *mut usize
    );
    cuStreamUpdateCaptureDependencies(
        stream: u64, dependencies: *const u64, edges: *const EdgeData, count: usize, flags: u32
    );
    cuThreadExchangeStreamCaptureMode(mode: *mut u32);
    cuEventCreate(event: *mut u64, flags: u32);
    cuEventRecord(event: u64, stream: u64);
    cuEventRecordWithFlags(event: u64, stream: u64, flags: u32);
    cuEventQuery(event: u64);
    cuEventSynchronize(event: u64);
    cuEventDestroy(event: u64);
    cuEventElapsedTime(time: *mut f32, start: u64, end: u64);

    cuGraphCreate(graph: *mut u64, flags: u32);
    cuGraphDestroy(graph: u64);
    cuGraphClone(clone: *mut u64, graph: u64);
    cuGraphAddNode(
        node: *mut u64, graph: u64, dependencies: *const u64, edges: *const EdgeData, count: usize,
        what: *mut DriverNode
    );
    cuGraphNodeSetParams(node: u64, what: *mut DriverNode);
    cuGraphNodeGetParams(node: u64, what: *mut DriverNode);
    cuGraphExecNodeSetParams(exec: u64, node: u64, what: *mut DriverNode);
    cuGraphKernelNodeGetParams(node: u64, what: *mut DriverKernelNode);
    cuGraphKernelNodeSetParams(node: u64, what: *const DriverKernelNode);
    cuGraphExecKernelNodeSetParams(exec: u64, node: u64, what: *const DriverKernelNode);
    cuGraphAddKernelNode(
        node: *mut u64, graph: u64, dependencies: *const u64, count: usize, what: *const DriverKernelNode
    );
    cuGraphKernelNodeCopyAttributes(to: u64, from: u64);
    cuGraphKernelNodeGetAttribute(node: u64, attribute: u32, value: *mut AttributeValue);
    cuGraphKernelNodeSetAttribute(node: u64, attribute: u32, value: *const AttributeValue);
    cuGraphAddMemcpyNode(
        node: *mut u64, graph: u64, dependencies: *const u64, count: usize, what: *const Cuboid, context: u64
    );
    cuGraphMemcpyNodeGetParams(node: u64, what: *mut Cuboid);
    cuGraphMemcpyNodeSetParams(node: u64, what: *const Cuboid);
    cuGraphExecMemcpyNodeSetParams(exec: u64, node: u64, what: *const Cuboid, context: u64);
    cuGraphAddMemsetNode(
        node: *mut u64, graph: u64, dependencies: *const u64, count: usize, what: *const MemsetNode, context: u64
    );
    cuGraphMemsetNodeGetParams(node: u64, what: *mut MemsetNode);
    cuGraphMemsetNodeSetParams(node: u64, what: *const MemsetNode);
    cuGraphExecMemsetNodeSetParams(exec: u64, node: u64, what: *const MemsetNode, context: u64);
    cuGraphAddHostNode(
        node: *mut u64, graph: u64, dependencies: *const u64, count: usize, what: *const HostNode
    );
    cuGraphHostNodeGetParams(node: u64, what: *mut HostNode);
    cuGraphHostNodeSetParams(node: u64, what: *const HostNode);
    cuGraphExecHostNodeSetParams(exec: u64, node: u64, what: *const HostNode);
    cuGraphAddChildGraphNode(node: *mut u64, graph: u64, dependencies: *const u64, count: usize, child: u64);
    cuGraphChildGraphNodeGetGraph(node: u64, graph: *mut u64);
    cuGraphExecChildGraphNodeSetParams(exec: u64, node: u64, child: u64);
    cuGraphAddEmptyNode(node: *mut u64, graph: u64, dependencies: *const u64, count: usize);
    cuGraphAddEventRecordNode(node: *mut u64, graph: u64, dependencies: *const u64, count: usize, event: u64);
    cuGraphEventRecordNodeGetEvent(node: u64, event: *mut u64);
    cuGraphEventRecordNodeSetEvent(node: u64, event: u64);
    cuGraphExecEventRecordNodeSetEvent(exec: u64, node: u64, event: u64);
    cuGraphAddEventWaitNode(node: *mut u64, graph: u64, dependencies: *const u64, count: usize, event: u64);
    cuGraphEventWaitNodeGetEvent(node: u64, event: *mut u64);
    cuGraphEventWaitNodeSetEvent(node: u64, event: u64);
    cuGraphExecEventWaitNodeSetEvent(exec: u64, node: u64, event: u64);
    cuGraphAddMemAllocNode(
        node: *mut u64, graph: u64, dependencies: *const u64, count: usize, what: *mut MemAllocNode
    );
    cuGraphMemAllocNodeGetParams(node: u64, what: *mut MemAllocNode);
    cuGraphAddMemFreeNode(node: *mut u64, graph: u64, dependencies: *const u64, count: usize, address: u64);
    cuGraphMemFreeNodeGetParams(node: u64, address: *mut u64);
    cuGraphNodeFindInClone(node: *mut u64, original: u64, clone: u64);
    cuGraphNodeGetType(node: u64, kind: *mut u32);
    cuGraphNodeGetContainingGraph(node: u64, graph: *mut u64);
    cuGraphNodeGetLocalId(node: u64, id: *mut u32);
    cuGraphNodeGetToolsId(node: u64, id: *mut u64);
    cuGraphGetId(graph: u64, id: *mut u32);
    cuGraphExecGetId(exec: u64, id: *mut u32);
    cuGraphGetNodes(graph: u64, nodes: *mut u64, count: *mut usize);
    cuGraphGetRootNodes(graph: u64, nodes: *mut u64, count: *mut usize);
    cuGraphGetEdges(graph: u64, from: *mut u64, to: *mut u64, edges: *mut EdgeData, count: *mut usize);
    cuGraphNodeGetDependencies(node: u64, nodes: *mut u64, edges: *mut EdgeData, count: *mut usize);
    cuGraphNodeGetDependentNodes(node: u64, nodes: *mut u64, edges: *mut EdgeData, count: *mut usize);
    cuGraphAddDependencies(graph: u64, from: *const u64, to: *const u64, edges: *const EdgeData, count: usize);
    cuGraphRemoveDependencies(
        graph: u64, from: *const u64, to: *const u64, edges: *const EdgeData, count: usize
    );
    cuGraphDestroyNode(node: u64);
    cuGraphInstantiateWithFlags(exec: *mut u64, graph: u64, flags: u64);
    cuGraphInstantiateWithParams(exec: *mut u64, graph: u64, what: *mut InstantiateParams);
    cuGraphExecGetFlags(exec: u64, flags: *mut u64);
    cuGraphNodeSetEnabled(exec: u64, node: u64, enabled: u32);
    cuGraphNodeGetEnabled(exec: u64, node: u64, enabled: *mut u32);
    cuGraphExecUpdate(exec: u64, graph: u64, result: *mut UpdateResult);
    cuGraphUpload(exec: u64, stream: u64);
    cuGraphLaunch(exec: u64, stream: u64);
    cuGraphExecDestroy(exec: u64);
    cuGraphDebugDotPrint(graph: u64, path: Text, flags: u32);
    cuGraphConditionalHandleCreate(handle: *mut u64, graph: u64, context: u64, value: u32, flags: u32);
    cuUserObjectCreate(object: *mut u64, pointer: Host, destroy: usize, count: u32, flags: u32);
    cuUserObjectRetain(object: u64, count: u32);
    cuUserObjectRelease(object: u64, count: u32);
    cuGraphRetainUserObject(graph: u64, object: u64, count: u32, flags: u32);
    cuGraphReleaseUserObject(graph: u64, object: u64, count: u32);
    cuGraphicsGLRegisterBuffer(resource: *mut u64, buffer: u32, flags: u32);
    cuGraphicsGLRegisterImage(resource: *mut u64, image: u32, target: u32, flags: u32);
    cuGraphicsEGLRegisterImage(resource: *mut u64, image: Host, flags: u32);
    cuGraphicsVDPAURegisterVideoSurface(resource: *mut u64, surface: u32, flags: u32);
    cuGraphicsVDPAURegisterOutputSurface(resource: *mut u64, surface: u32, flags: u32);
    cuGLGetDevices(count: *mut u32, devices: *mut i32, most: u32, list: u32);
    cuGraphicsMapResources(count: u32, resources: *const u64, stream: u64);
    cuGraphicsUnmapResources(count: u32, resources: *const u64, stream: u64);
    cuGraphicsUnregisterResource(resource: u64);
    cuGraphicsResourceSetMapFlags(resource: u64, flags: u32);
    cuGraphicsResourceGetMappedPointer(address: *mut u64, bytes: *mut usize, resource: u64);
    cuGraphicsSubResourceGetMappedArray(array: *mut u64, resource: u64, index: u32, level: u32);
    cuGraphicsResourceGetMappedMipmappedArray(array: *mut u64, resource: u64);
    cuGLRegisterBufferObject(buffer: u32);
    cuGLSetBufferObjectMapFlags(buffer: u32, flags: u32);
    cuGLMapBufferObject(address: *mut u64, bytes: *mut usize, buffer: u32);
    cuGLMapBufferObjectAsync(address: *mut u64, bytes: *mut usize, buffer: u32, stream: u64);
    cuGLUnmapBufferObject(buffer: u32);
    cuGLUnmapBufferObjectAsync(buffer: u32, stream: u64);
    cuVDPAUGetDevice(device: *mut i32, vdpau: u32, look_up: Host);
    cuEGLStreamConsumerConnect(connection: *mut u64, stream: u64);
    cuEGLStreamConsumerConnectWithFlags(connection: *mut u64, stream: u64, flags: u32);
    cuEGLStreamConsumerDisconnect(connection: *const u64);
    cuEGLStreamConsumerAcquireFrame(connection: *const u64, resource: *mut u64, stream: *const u64, timeout: u32);
    cuEGLStreamConsumerReleaseFrame(connection: *const u64, resource: u64, stream: *const u64);
    cuEGLStreamProducerConnect(connection: *mut u64, stream: u64, width: i32, height: i32);
    cuEGLStreamProducerDisconnect(connection: *const u64);
    cuEGLStreamProducerPresentFrame(connection: *const u64, stream: *const u64);
    cuEGLStreamProducerReturnFrame(connection: *const u64, frame: Host, stream: *const u64);
    cuGraphicsResourceGetMappedEglFrame(frame: Host, resource: u64, index: u32, level: u32);
    cuLogsRegisterCallback(function: usize, data: Host, handle: *mut u64);
    cuLogsUnregisterCallback(handle: u64);
    cuLogsCurrent(iterator: *mut u32, flags: u32);
    cuLogsDumpToFile(iterator: *mut u32, path: Text, flags: u32);
    cuLogsDumpToMemory(iterator: *mut u32, buffer: *mut u8, size: *mut usize, flags: u32);
    cuProfilerStart();
    cuProfilerStop();
}
