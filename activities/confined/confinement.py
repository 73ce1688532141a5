"""Confinement of a process that reads foreign input: another user, Landlock and seccomp (Linux).

Landlock bounds which files can be opened and which processes signalled; seccomp refuses what it does not
cover: sockets, other programs, and system calls that reach other processes or the kernel's rarer parts.
Each is applied where the kernel has it, and `list_missing` names those that it has not.
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

NOBODY = 65_534
"""User and group of a process that was started as root."""
_ROOT = Path(__file__).parents[2]
_PACKAGES = ("activities", "api", "contracts", "domain")
"""Packages that the process may read. The root is excluded, because it contains `.env`."""
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")

_PR_GET_SECCOMP, _PR_SET_SECCOMP, _FILTER = 21, 22, 2
_PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _RAISE = 8, 38, 47, 2
_CAP_DAC_READ_SEARCH = 2
_CAP_VERSION_3 = 0x20080522

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _READ_FILE, _READ_DIR, _TRUNCATE = 1, 4, 8, 1 << 14
_FILE_RIGHTS = _EXECUTE | 2 | _READ_FILE | _TRUNCATE
_PATH_BENEATH = 1
_O_PATH = getattr(os, "O_PATH", 0)

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's name of an architecture, and its column of numbers."""
_REFUSED = {
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "socketpair": (53, 199),
    "kill": (62, 129),
    "ptrace": (101, 117),
    "setpgid": (109, 154),
    "setsid": (112, 157),
    "rt_sigqueueinfo": (129, 138),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "mount": (165, 40),
    "umount2": (166, 39),
    "init_module": (175, 105),
    "tkill": (200, 130),
    "sched_setaffinity": (203, 122),
    "tgkill": (234, 131),
    "kexec_load": (246, 104),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "migrate_pages": (256, 238),
    "unshare": (272, 97),
    "move_pages": (279, 239),
    "rt_tgsigqueueinfo": (297, 240),
    "perf_event_open": (298, 241),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "setns": (308, 268),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "finit_module": (313, 273),
    "sched_setattr": (314, 274),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "pidfd_send_signal": (424, 424),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
}
_PROGRAMS = {"execve": (59, 221), "execveat": (322, 281), "fork": (57, None), "vfork": (58, None)}
"""Refused as well, unless the process may run programs."""
_CLONE, _CLONE3, _PRLIMIT = (56, 220), (435, 435), (302, 261)
_CLONE_THREAD = 0x10000
_EPERM, _ENOSYS = 1, 38
_X32 = 0x40000000
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16


@dataclass(frozen=True)
class Confinement:
    """Rights of a confined process besides reading its libraries."""

    writable: tuple[str, ...] = ()
    """Folders that it may write to."""
    programs: tuple[str, ...] = ()
    """Files that it may execute."""

    def apply(self) -> None:
        """Confine this process permanently. It must still have one thread, and must not have read foreign input."""
        if sys.platform != "linux":
            return
        libc = ctypes.CDLL(None, use_errno=True)
        readable = [*_list_readable()]
        ruleset = _make_ruleset(libc, readable, self.writable, self.programs)
        if os.geteuid() == 0:
            with suppress(PermissionError):  # a container may keep root from changing its user
                for folder in self.writable:
                    os.chown(folder, NOBODY, NOBODY)
                _become_nobody(libc, keeps_reading=ruleset is not None)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if ruleset is not None:
            libc.syscall(_RESTRICT_SELF, ruleset, 0)
            os.close(ruleset)
        _filter_calls(libc, may_execute=bool(self.programs))


READS_LIBRARIES = Confinement()


def list_missing() -> list[str]:
    """Return what of the confinement this system lacks."""
    if sys.platform != "linux":
        return ["landlock", "seccomp"]
    libc = ctypes.CDLL(None, use_errno=True)
    missing = [] if _find_abi(libc) > 0 else ["landlock"]
    has_filter = platform.machine() in _ARCHITECTURES and libc.prctl(_PR_GET_SECCOMP) >= 0
    return missing if has_filter else [*missing, "seccomp"]


def _list_readable() -> Iterator[str]:
    """Yield the folders of the interpreter, its libraries and the product's code."""
    yield from _SYSTEM
    yield from (str(_ROOT / package) for package in _PACKAGES)
    yield str(Path(sys.base_prefix, "lib"))
    for path in filter(None, sys.path):
        if Path(path).resolve() != _ROOT and Path(path).is_dir():
            yield path


def _find_abi(libc: ctypes.CDLL) -> int:
    """Return the version of Landlock's interface; negative without it."""
    version: int = libc.syscall(_CREATE_RULESET, None, 0, 1)
    return version


def _make_ruleset(
    libc: ctypes.CDLL, readable: Iterable[str], writable: Iterable[str], programs: Iterable[str]
) -> int | None:
    """Return the file descriptor of a Landlock ruleset, or None if the kernel has no Landlock."""
    abi = _find_abi(libc)
    if abi < 1:
        return None
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)) - 1
    tcp, scopes = (3 if abi >= 4 else 0), (3 if abi >= 6 else 0)
    sizes = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}
    handled = struct.pack("=QQQ", files, tcp, scopes)[: sizes.get(abi, 24)]
    ruleset: int = libc.syscall(_CREATE_RULESET, handled, len(handled), 0)
    if ruleset < 0:
        return None
    allowed = [(path, _READ_FILE | _READ_DIR) for path in readable]
    allowed += [(path, files & ~_EXECUTE) for path in writable]
    if programs:  # their loader is one of the system's libraries
        loaders = [path for path in _SYSTEM if path.startswith(("/lib", "/usr/lib"))]
        allowed += [(path, _READ_FILE | _EXECUTE) for path in (*programs, *loaders)]
    for path, rights in allowed:
        with suppress(OSError):  # not every system has all of them
            at = os.open(path, _O_PATH | os.O_CLOEXEC)
            rights &= files if os.path.isdir(path) else files & _FILE_RIGHTS
            libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, at), 0)
            os.close(at)
    return ruleset


def _become_nobody(libc: ctypes.CDLL, *, keeps_reading: bool) -> None:
    """Drop root; with `keeps_reading`, root's own libraries stay readable, within Landlock's rules."""
    if keeps_reading:
        libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    if keeps_reading:
        only = 1 << _CAP_DAC_READ_SEARCH
        header = struct.pack("=Ii", _CAP_VERSION_3, 0)
        libc.capset(header, struct.pack("=6I", only, only, only, 0, 0, 0))
        libc.prctl(_PR_CAP_AMBIENT, _RAISE, _CAP_DAC_READ_SEARCH, 0, 0)


def _filter_calls(libc: ctypes.CDLL, *, may_execute: bool) -> None:
    """Install the seccomp filter if this architecture is known and the kernel supports it."""
    if platform.machine() not in _ARCHITECTURES:
        return
    code = b"".join(_build_filter(*_ARCHITECTURES[platform.machine()], may_execute))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(program), 0, 0)


def _build_filter(architecture: int, column: int, may_execute: bool) -> Iterator[bytes]:
    """Yield the instructions of the filter: each pair of them refuses one system call."""
    yield _step(_LOAD, _ARCHITECTURE)
    yield _step(_IF_EQUAL, architecture, 1, 0)
    yield _step(_RETURN, _KILL)
    yield _step(_LOAD, _NUMBER)
    if column == 0:
        yield _step(_IF_AT_LEAST, _X32, 0, 1)
        yield _step(_RETURN, _KILL)
    refused = _REFUSED if may_execute else _REFUSED | _PROGRAMS
    for numbers in refused.values():
        if (number := numbers[column]) is not None:
            yield _step(_IF_EQUAL, number, 0, 1)
            yield _step(_RETURN, _ERRNO | _EPERM)
    if not may_execute:
        yield _step(_IF_EQUAL, _CLONE3[column], 0, 1)
        yield _step(_RETURN, _ERRNO | _ENOSYS)  # the C library then asks for `clone`
        yield _step(_IF_EQUAL, _CLONE[column], 0, 4)
        yield _step(_LOAD, _FIRST_ARGUMENT)
        yield _step(_IF_ANY_BIT, _CLONE_THREAD, 1, 0)
        yield _step(_RETURN, _ERRNO | _EPERM)
        yield _step(_RETURN, _ALLOW)
    yield _step(_IF_EQUAL, _PRLIMIT[column], 0, 4)
    yield _step(_LOAD, _FIRST_ARGUMENT)
    yield _step(_IF_EQUAL, 0, 1, 0)  # its own limits only
    yield _step(_RETURN, _ERRNO | _EPERM)
    yield _step(_RETURN, _ALLOW)
    yield _step(_RETURN, _ALLOW)


def _step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return an instruction of the kernel's packet filter."""
    return struct.pack("=HBBI", code, if_true, if_false, operand)
