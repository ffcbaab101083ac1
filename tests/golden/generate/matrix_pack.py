"""Compresses what `matrix_build.py` made and `matrix_run.py` and `matrix_sweep.py` measured. Usage: matrix_pack.py BUILT MEASURED tests/golden/matrix"""
import shutil, subprocess, sys
built, measured, to = sys.argv[1:]
for name in ('mma', 'wgmma_more'):
    for folder, part in ((built, 'json'), (built, 'inputs'), (measured, 'outputs')):
        subprocess.run(['zstd', '-19', '--long=27', '-q', '-f', f'{folder}/{name}.{part}', '-o', f'{to}/{name}.{part}.zst'], check=True)
for part in ('json', 'bin'): shutil.copy(f'{measured}/sweep.{part}', f'{to}/sweep.{part}')
