# Written by browser-stream at every start: changes here are lost.
"""
Which display a token leads to: a socket of the user whose folder it is in, and no link. A stream's user may put anything
there, and the VNC proxy's user may connect to every stream's display.

And how much of a display waits for a viewer who does not take it: websockify reads all that comes, and whoever broke out
of a browser may take the display's place and send without end.
"""
import os
import resource
import stat

from websockify.token_plugins import TokenFile

# bytes of memory that a connection may take: four times the largest picture, which waits and is sent
MOST_BYTES = 256 << 20

# nobody is there, and nobody can be
NOWHERE = ["unix_socket", "/proc/self/fd/none"]


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
