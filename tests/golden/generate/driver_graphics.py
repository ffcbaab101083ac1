"""Asks a CUDA driver on a machine without a display what the entry points of cudaGL.h, cudaEGL.h and cudaVDPAU.h answer, and
what those of cuda.h that share their resources do.
Usage: driver_graphics.py FOLDER: writes graphics.json there: a list of [entry point, words, answers before cuInit, without a
context, with one]. A word is a number, "out" (the address of zeroed bytes), "handle" (likewise: no driver has made it) or
"handles" (the address of such an address). Each call is made in a process of its own; a crash is an answer ("crash")."""
import ctypes as C, json, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
BUFFER = [['cuGLRegisterBufferObject', 1], ['cuGLSetBufferObjectMapFlags', 1, 0], ['cuGLUnmapBufferObject', 1], ['cuGLUnmapBufferObjectAsync', 1, 0], ['cuGLUnregisterBufferObject', 1]]
MAP = [[f'cuGLMapBufferObject{v}', 'out', 'out', 1] for v in ('', '_v2', '_v2_ptds')] + [[f'cuGLMapBufferObjectAsync{v}', 'out', 'out', 1, 0] for v in ('', '_v2', '_v2_ptsz')]
CALLS = [['cuGLInit'], *BUFFER, *MAP, ['cuGLMapBufferObject_v2', 0, 0, 1],
    *[['cuGLCtxCreate' + v, *w] for v in ('', '_v2') for w in (['out', 0, 0], [0, 0, 0], ['out', 0, 7])],
    *[['cuGLGetDevices' + v, *w] for v in ('', '_v2') for w in (['out', 'out', 1, 1], ['out', 'out', 1, 2], ['out', 'out', 1, 3], ['out', 'out', 1, 4], ['out', 'out', 0, 1], [0, 0, 0, 1])],
    ['cuGraphicsGLRegisterBuffer', 'out', 1, 0], ['cuGraphicsGLRegisterBuffer', 'out', 0, 0], ['cuGraphicsGLRegisterBuffer', 0, 1, 0], ['cuGraphicsGLRegisterBuffer', 'out', 1, 255],
    ['cuGraphicsGLRegisterImage', 'out', 1, 0x0de1, 0], ['cuGraphicsGLRegisterImage', 0, 1, 0x0de1, 0], ['cuGraphicsGLRegisterImage', 'out', 1, 0, 0], ['cuGraphicsGLRegisterImage', 'out', 1, 0x0de1, 255],
    ['cuEGLApiInit'],
    ['cuEGLStreamConsumerConnect', 'out', 0], ['cuEGLStreamConsumerConnect', 'out', 'handle'], ['cuEGLStreamConsumerConnect', 0, 0],
    ['cuEGLStreamConsumerConnectWithFlags', 'out', 0, 0], ['cuEGLStreamConsumerConnectWithFlags', 'out', 'handle', 0], ['cuEGLStreamConsumerConnectWithFlags', 0, 0, 0],
    ['cuEGLStreamConsumerDisconnect', 0], ['cuEGLStreamConsumerDisconnect', 'out'],
    ['cuEGLStreamConsumerAcquireFrame', 0, 0, 0, 0], ['cuEGLStreamConsumerAcquireFrame', 'out', 'out', 'out', 0],
    ['cuEGLStreamConsumerReleaseFrame', 0, 0, 0], ['cuEGLStreamConsumerReleaseFrame', 'out', 0, 0],
    ['cuEGLStreamProducerConnect', 'out', 0, 64, 64], ['cuEGLStreamProducerConnect', 'out', 'handle', 64, 64], ['cuEGLStreamProducerConnect', 0, 0, 64, 64],
    ['cuEGLStreamProducerDisconnect', 0], ['cuEGLStreamProducerDisconnect', 'out'],
    ['cuEGLStreamProducerPresentFrame', 0, 0], ['cuEGLStreamProducerReturnFrame', 0, 0, 0], ['cuEGLStreamProducerReturnFrame', 'out', 'out', 0],
    ['cuGraphicsEGLRegisterImage', 'out', 0, 0], ['cuGraphicsEGLRegisterImage', 'out', 'handle', 0], ['cuGraphicsEGLRegisterImage', 0, 0, 0], ['cuGraphicsEGLRegisterImage', 'out', 0, 255],
    ['cuGraphicsResourceGetMappedEglFrame', 'out', 0, 0, 0], ['cuGraphicsResourceGetMappedEglFrame', 0, 0, 0, 0], ['cuGraphicsResourceGetMappedEglFrame', 'out', 'handle', 0, 0],
    ['cuVDPAUGetDevice', 'out', 0, 0], ['cuVDPAUGetDevice', 0, 0, 0],
    *[['cuVDPAUCtxCreate' + v, *w] for v in ('', '_v2') for w in (['out', 0, 0, 0, 0], [0, 0, 0, 0, 0], ['out', 0, 7, 0, 0])],
    *[[f'cuGraphicsVDPAURegister{s}Surface', *w] for s in ('Output', 'Video') for w in (['out', 1, 0], ['out', 0, 0], [0, 1, 0], ['out', 1, 255])],
    *[[f'cuGraphics{v}', *w] for v in ('MapResources', 'MapResources_ptsz', 'UnmapResources', 'UnmapResources_ptsz') for w in ([0, 0, 0], [0, 'handles', 0], [1, 0, 0], [1, 'out', 0], [1, 'handles', 0])],
    ['cuGraphicsUnregisterResource', 0], ['cuGraphicsUnregisterResource', 'handle'],
    *[['cuGraphicsResourceSetMapFlags' + v, *w] for v in ('', '_v2') for w in ([0, 0], ['handle', 0], [0, 255])],
    *[['cuGraphicsResourceGetMappedPointer' + v, *w] for v in ('', '_v2') for w in (['out', 'out', 0], [0, 0, 0], ['out', 'out', 'handle'])],
    ['cuGraphicsResourceGetMappedMipmappedArray', 'out', 0], ['cuGraphicsResourceGetMappedMipmappedArray', 0, 0], ['cuGraphicsResourceGetMappedMipmappedArray', 'out', 'handle'],
    ['cuGraphicsSubResourceGetMappedArray', 'out', 0, 0, 0], ['cuGraphicsSubResourceGetMappedArray', 0, 0, 0, 0], ['cuGraphicsSubResourceGetMappedArray', 'out', 'handle', 0, 0],
]
STATES = ('before cuInit', 'no context', 'context')
def one(state, name, words):
    L = C.CDLL('libcuda.so.1'); keep = []
    if state != STATES[0]: assert L.cuInit(0) == 0
    if state == STATES[2]:
        c = C.c_void_p(); assert L.cuCtxCreate_v2(C.byref(c), 0, 0) == 0
    def zeros():
        keep.append(C.create_string_buffer(4096)); return C.addressof(keep[-1])
    def value(word):
        if word == 'handles':
            keep.append((C.c_uint64 * 1)(zeros())); return C.addressof(keep[-1])
        return zeros() if isinstance(word, str) else word
    print(getattr(L, name)(*[C.c_uint64(value(w)) for w in words]), flush=True); os._exit(0)
def ask(job):
    state, name, words = job
    done = subprocess.run([sys.executable, __file__, '--one', json.dumps(job)], capture_output=True, text=True, timeout=60)
    return int(done.stdout) if done.returncode == 0 else 'crash'
if __name__ == '__main__':
    if sys.argv[1] == '--one': one(*json.loads(sys.argv[2]))
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, [(s, c[0], c[1:]) for c in CALLS for s in STATES]))
    rows = [[c[0], c[1:], *answers[3 * k:3 * k + 3]] for k, c in enumerate(CALLS)]
    with open(os.path.join(sys.argv[1], 'graphics.json'), 'w') as file: file.write('[\n' + ',\n'.join(' ' + json.dumps(r) for r in rows) + '\n]\n')
