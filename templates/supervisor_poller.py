# Written by browser-stream at every start: changes here are lost.
"""
Replaces supervisord's poller, which before version 4.3 can take a whole core for good: it goes on asking for a number
whose connection was closed when a log file gets that number before the next poll, and a file can always be read
(https://github.com/Supervisor/supervisor/pull/1581). supervisord registers all it wants before each poll; this one
forgets what was registered for the poll before.
"""
import os
import select

# for the programs, of which one is Python's
for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"):
    os.environ.pop(name, None)

READABLE = select.POLLIN | select.POLLPRI | select.POLLHUP
WRITABLE = select.POLLOUT


class Poller:
    def __init__(self):
        self._wanted = {}

    def register_readable(self, fd):
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
    supervisord.options.poller = Poller()
    return object()
