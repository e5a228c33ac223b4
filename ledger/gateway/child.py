"""A child process that is always reaped, together with its process group."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import IO, TYPE_CHECKING

import anyio
from anyio.lowlevel import checkpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CHUNK = 65_536
_POLL_S = 0.01
# after SIGKILL only a process stuck in the kernel is still there; waiting longer would not help
_KILLED_S = 5.0
# killed orphans are init's to bury; where it does not, their corpses stay and there is no use in waiting
_ORPHANS_S = 0.5


class Child:
    """A process in a session of its own, with pipes that never block the event loop.

    Not asyncio's own process: that one waits for its pipes to close, which a grandchild can prevent for ever,
    and it leaves the rest of the group running when the leader exits by itself.
    """

    def __init__(self, command: str, args: Sequence[str], *, env: Mapping[str, str], cwd: str | None = None) -> None:
        """Start it. Raises OSError, or ValueError for text that cannot be an argument."""
        self._process = subprocess.Popen(
            [command, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
        for pipe in self._pipes():
            os.set_blocking(pipe.fileno(), False)

    @property
    def pid(self) -> int:
        """Also the id of its process group."""
        return self._process.pid

    @property
    def exit_status(self) -> int | None:
        """None while it runs; negative for the signal that ended it."""
        return self._process.poll()

    async def read_output(self) -> bytes:
        """The next bytes of its standard output; empty at the end."""
        return await _read(self._process.stdout)

    async def read_errors(self) -> bytes:
        """The next bytes of its standard error; empty at the end."""
        return await _read(self._process.stderr)

    async def write(self, content: bytes) -> None:
        """Raises OSError when nobody reads any more."""
        assert self._process.stdin is not None
        rest = memoryview(content)
        while rest:
            try:
                rest = rest[os.write(self._process.stdin.fileno(), rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._process.stdin.fileno())

    async def stop(self, grace_s: float) -> None:
        """Close its input, wait, SIGTERM the group, wait, SIGKILL it. Shield it; every wait is bounded."""
        self.close_input()
        if not await self._exits_within(grace_s):
            self._signal_group(signal.SIGTERM)
            if not await self._exits_within(grace_s):
                self._signal_group(signal.SIGKILL)
                await self._exits_within(_KILLED_S)
        self.kill_group()
        with anyio.move_on_after(_ORPHANS_S):
            while self._signal_group(0):
                await anyio.sleep(_POLL_S)

    def kill_group(self) -> None:
        """End what is left of the group, without waiting; the leader is reaped if it is dead by now."""
        self._signal_group(signal.SIGKILL)
        self._process.poll()

    def close_input(self) -> None:
        """Tell the child that nothing more will come."""
        pipe = self._process.stdin
        if pipe is not None and not pipe.closed:
            anyio.notify_closing(pipe)
            pipe.close()

    def close_pipes(self) -> None:
        """Let go of the pipes; nobody may be reading them."""
        for pipe in self._pipes():
            pipe.close()

    async def _exits_within(self, seconds: float) -> bool:
        deadline = anyio.current_time() + seconds
        while self._process.poll() is None:
            if anyio.current_time() >= deadline:
                return False
            await anyio.sleep(_POLL_S)
        return True

    def _signal_group(self, number: int) -> bool:
        """Whether anyone of the group was there to get it."""
        # The leader's pid is the group's id, also when the leader is gone and others of the group are not.
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _pipes(self) -> list[IO[bytes]]:
        return [pipe for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe]


async def _read(pipe: IO[bytes] | None) -> bytes:
    assert pipe is not None
    while True:
        await checkpoint()  # a child that always has more to say must not keep the clock from ticking
        try:
            return os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            await anyio.wait_readable(pipe.fileno())
