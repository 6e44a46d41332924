# Written by browser-stream at every start: changes here are lost.
"""
Replaces supervisord's poller, which before version 4.3 can take a whole core for good: it goes on asking for a number
whose connection was closed when a log file gets that number before the next poll, and a file can always be read
(https://github.com/Supervisor/supervisor/pull/1581). supervisord registers all it wants before each poll; this one
forgets what was registered for the poll before.

And reads no program's output faster than it may be written: whoever broke out of a browser has that of its stream's
programs, and supervisord would do little else than read it and turn over the logs.
"""
import os
import select
import time

# for the programs, of which one is Python's
for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"):
    os.environ.pop(name, None)

READABLE = select.POLLIN | select.POLLPRI | select.POLLHUP
WRITABLE = select.POLLOUT

# what each output may cost, in bytes a second and at once, and what a read costs beside its own
PER_SECOND, BURST, READ_COST = 1 << 20, 4 << 20, 1 << 14


class Poller:
    def __init__(self):
        self._wanted = {}
        # what is left of each output's budget, and when that was
        self._budgets = {}

    def spend(self, fd, cost):
        """Takes a cost. Says whether some budget is left."""
        now = time.monotonic()
        left, at = self._budgets.get(fd, (BURST, now))
        left = min(BURST, left + (now - at) * PER_SECOND) - cost
        self._budgets[fd] = (left, now)
        return left > 0

    def register_readable(self, fd):
        if fd in self._budgets and not self.spend(fd, 0):
            return
        self._wanted[fd] = self._wanted.get(fd, 0) | READABLE

    def register_writable(self, fd):
        self._wanted[fd] = self._wanted.get(fd, 0) | WRITABLE

    def unregister_readable(self, fd):
        pass

    def unregister_writable(self, fd):
        pass

    def poll(self, timeout):
        poll = select.poll()
        for fd, events in self._wanted.items():
            poll.register(fd, events)
        self._wanted = {}
        ready = poll.poll(timeout * 1000)
        return [
            [fd for fd, events in ready if events & wanted]
            for wanted in (READABLE, WRITABLE)
        ]

    def before_daemonize(self):
        pass

    def after_daemonize(self):
        pass

    def close(self):
        pass


def use(supervisord):
    """What supervisord calls as the factory of an RPC interface; this one has no methods."""
    options = supervisord.options
    poller = options.poller = Poller()
    read = options.readfd

    def readfd(fd):
        data = read(fd)
        poller.spend(fd, READ_COST + len(data))
        return data

    options.readfd = readfd
    return object()
