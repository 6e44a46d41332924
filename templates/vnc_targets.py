# Written by browser-stream at every start: changes here are lost.
"""
Which display a token leads to: a socket of the user whose folder it is in, and no link. A stream's user may put anything
there, and the VNC proxy's user may connect to every stream's display.
"""
import os
import stat

from websockify.token_plugins import TokenFile

# nobody is there, and nobody can be
NOWHERE = ["unix_socket", "/proc/self/fd/none"]


class StreamTargets(TokenFile):
    def lookup(self, token):
        """["unix_socket", path], or None when there is no such token. Each connection is a process of its own."""
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
