# Written by browser-stream at every start: changes here are lost.
"""
Which display a token leads to: a socket of the user whose folder it is in, and no link. A stream's user may put anything
there, and the VNC proxy's user may connect to every stream's display.

How much of a display waits for a viewer who does not take it: websockify reads all that comes, and whoever broke out
of a browser may take the display's place and send without end.

And how many connections there are of who shows no token, and for how long: websockify starts a process for each, and
every user of the machine can connect.
"""
import mmap
import multiprocessing
import os
import resource
import signal
import stat

from websockify.token_plugins import TokenFile

# bytes of memory that a connection may take: four times the largest picture, which waits and is sent
MOST_BYTES = 256 << 20

# connections that have shown no token yet: of more the oldest ends, since the web app shows its token at once
MOST_WAITING = 64

# what a connection without a token may take in all, also for more than one file
WAIT_SECONDS = 5

# nobody is there, and nobody can be
NOWHERE = ["unix_socket", "/proc/self/fd/none"]


class Connection(multiprocessing.get_context("fork").Process):
    """The process of a connection."""

    # in websockify: the first is the oldest
    waiting = []
    # in a connection's process: itself
    own = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.shown = mmap.mmap(-1, 1)  # both processes see it

    def start(self):
        Connection.waiting = [one for one in Connection.waiting if one.shown[0] == 0 and one.is_alive()]
        if len(Connection.waiting) >= MOST_WAITING:
            Connection.waiting.pop(0).kill()
        super().start()
        Connection.waiting.append(self)

    def run(self):
        Connection.own = self
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(WAIT_SECONDS)
        super().run()

    def show_token(self):
        self.shown[0] = 1
        signal.alarm(0)


# websockify takes it from there for each connection
multiprocessing.Process = Connection


def limit_memory():
    """Lets this process have so much more than it has now; what needs more ends it."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[5])
    most = pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


class StreamTargets(TokenFile):
    def lookup(self, token):
        """["unix_socket", path], or None when there is no such token. Each connection is a process of its own."""
        limit_memory()
        target = super().lookup(token)
        if target is None or target[0] != "unix_socket":
            return None
        if Connection.own:
            Connection.own.show_token()
        try:
            # what was looked at is what is connected to, whatever takes its place meanwhile
            socket = os.open(target[1], os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
            found = os.fstat(socket)
            folder = os.lstat(os.path.dirname(target[1]))
        except OSError:
            return NOWHERE
        if not stat.S_ISSOCK(found.st_mode) or found.st_uid != folder.st_uid:
            return NOWHERE
        return ["unix_socket", "/proc/self/fd/%d" % socket]
