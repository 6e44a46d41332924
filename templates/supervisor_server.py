# Written by browser-stream at every start: changes here are lost.
"""
What clients get of supervisord's server, which is root's, while its socket is the web app's: the methods that we call,
and of these nothing by which a program of all streams goes for good. And how much of a client it holds: a client that
sends without end, or does not take its answers, would else make it as large as the client likes.
"""
import re

from supervisor.http import deferring_http_channel, logtail_handler, mainlogtail_handler, supervisor_http_server
from supervisor.medusa import asyncore_25
from supervisor.web import supervisor_ui_handler
from supervisor.xmlrpc import Faults, RPCError, supervisor_xmlrpc_handler

# lib/supervisor/status.ts, and what supervisorctl asks for the commands of lib/supervisor/control.ts
METHODS = ["programs.all"] + ["supervisor." + name for name in (
    "getVersion", "getAllProcessInfo", "reloadConfig", "addProcessGroup", "removeProcessGroup",
    "startProcess", "startProcessGroup", "stopProcess", "stopProcessGroup", "signalProcess", "signalProcessGroup",
)]
SIGNALS = ["TERM", "KILL"]

# bytes of a request's head, and of its body
MOST_BYTES = 64 * 1024
# answers that one client has not taken; the one that is being taken stays in the list for a moment
MOST_ANSWERS = 2
# connections: more than ours at once
MOST_CONNECTIONS = 200


def shared_programs(supervisord):
    """The names in the main file, which has no stream's programs."""
    with open(supervisord.options.configfile) as file:
        return re.findall(r"^\[program:(.+)\]", file.read(), re.MULTILINE)


def is_ours(method, params, shared):
    """Whether a call is one of those that the service makes."""
    if method in ("supervisor.addProcessGroup", "supervisor.removeProcessGroup"):
        # a group that is added again has none of our sockets (supervisor_sockets.py)
        return params[:1] not in [(name,) for name in shared]
    if method in ("supervisor.signalProcess", "supervisor.signalProcessGroup"):
        return params[1:] in [(name,) for name in SIGNALS]
    return method in METHODS


class Channel(deferring_http_channel):
    """A client's connection."""

    def __init__(self, server, conn, addr):
        deferring_http_channel.__init__(self, server, conn, addr)
        self._taken = 0
        channels = [one for one in asyncore_25.socket_map.values() if isinstance(one, Channel)]
        if len(channels) > MOST_CONNECTIONS:
            # the oldest, so that the newest, which may be ours, has its answer
            min(channels, key=lambda one: one.channel_number).close()

    def recv(self, size):
        data = deferring_http_channel.recv(self, size)
        self._taken += len(data)
        if self._taken <= MOST_BYTES:
            return data
        self.close()
        return b""

    def found_terminator(self):
        self._taken = 0
        if len(self.producer_fifo) < MOST_ANSWERS:
            return deferring_http_channel.found_terminator(self)
        self.ac_in_buffer = b""  # what else came with it is not looked at
        self.close()


def use(supervisord):
    """What supervisord calls as the factory of an RPC interface, which is before it serves; this one has no methods."""
    shared = shared_programs(supervisord)
    answer = supervisor_xmlrpc_handler.call

    def call(self, method, params):
        if not is_ours(method, params, shared):
            raise RPCError(Faults.UNKNOWN_METHOD)
        return answer(self, method, params)

    supervisor_xmlrpc_handler.call = call
    supervisor_http_server.channel_class = Channel
    # its pages, where a GET stops everything, and its logs
    for handler in (supervisor_ui_handler, logtail_handler, mainlogtail_handler):
        handler.match = lambda self, request: False
    return object()
