"""`python -m ptxvm` is the command `ptxvm`."""

import os
import sys

from ._files import command

path = str(command())
os.execv(path, [path, *sys.argv[1:]])
