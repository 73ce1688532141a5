"""Stands for a program that is a fork of a server: `fork_launcher.py SOCKET -m MODULE …`.

It gives the fork its standard streams, ends when the fork ends and as it ended, and kills it when it is killed itself.
It imports little, since it is started for each process.
"""

import ctypes
import json
import os
import signal
import socket
import struct
import sys

LENGTH = struct.Struct("!I")
PR_SET_PDEATHSIG = 1


def main() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    path, *words = sys.argv[1:]
    request = json.dumps({"argv": words, "env": {}}).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        socket.send_fds(server, [LENGTH.pack(len(request))], [0, 1, 2])
        server.sendall(request)
        for stream in (0, 1):  # whoever reads or writes them must hear of the fork's end
            os.close(stream)
        with server.makefile() as answers:
            answers.readline()  # the fork's process id
            code = int(answers.readline() or -signal.SIGKILL)
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
