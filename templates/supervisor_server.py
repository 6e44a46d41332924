# Written by browser-stream at every start: changes here are lost.
"""
What clients get of supervisord's server, which is root's, while its socket is the web app's: the methods that we call,
and of these nothing by which a program of all streams goes for good. And what a client costs: whoever has taken the web
app over would else keep supervisord from its work, or make it as large as they like.
"""
import os
import re
import socket
import struct
import time
import types
import xmlrpc.client as xmlrpclib
from xml.parsers import expat

from supervisor.compat import as_bytes
from supervisor.http import (
    LogWrapper, deferring_http_channel, logtail_handler, mainlogtail_handler, supervisor_http_server,
)
from supervisor.medusa import asyncore_25
from supervisor.medusa.default_handler import default_handler
from supervisor.medusa.xmlrpc_handler import collector
from supervisor.web import supervisor_ui_handler
from supervisor.xmlrpc import (
    DeferredXMLRPCResponse, Faults, RPCError, supervisor_xmlrpc_handler, xmlrpc_marshal,
)

NAME, FLAG = [str], [str, bool]
# what each method takes: lib/machine/supervisor/status.ts, and what supervisorctl asks for the commands of lib/machine/supervisor/control.ts
METHODS = {
    "programs.all": [[]],
    "supervisor.getVersion": [[]],
    "supervisor.getAllProcessInfo": [[]],
    "supervisor.reloadConfig": [[]],
    "supervisor.addProcessGroup": [NAME],
    "supervisor.removeProcessGroup": [NAME],
    "supervisor.startProcess": [NAME, FLAG],
    "supervisor.startProcessGroup": [NAME, FLAG],
    "supervisor.stopProcess": [NAME, FLAG],
    "supervisor.stopProcessGroup": [NAME, FLAG],
    "supervisor.signalProcess": [[str, str]],
    "supervisor.signalProcessGroup": [[str, str]],
}
SIGNALS = ["TERM", "KILL"]

# bytes of a request's head, and of its body
MOST_BYTES = 8 * 1024
# answers that one client has not taken; the one that is being taken stays in the list for a moment
MOST_ANSWERS = 2
# bytes of the answers that the web app's connections have not taken, in all
MOST_HELD = 64 << 20
# connections of the web app: more than ours at once
MOST_CONNECTIONS = 200
# new connections that are looked at before supervisord does something else
MOST_NEW = 50
# connections of `up` that wait
WAITING = 16
# seconds that the web app's requests take before supervisord does something else
TURN = 0.1
# seconds for which one line tells of what clients did wrong
QUIET = 60


def shared_programs(supervisord):
    """The names in the main file, which has no stream's programs."""
    with open(supervisord.options.configfile) as file:
        return re.findall(r"^\[program:(.+)\]", file.read(), re.MULTILINE)


def is_ours(method, params, shared):
    """Whether a call is one of those that the service makes."""
    if [type(one) for one in params] not in METHODS.get(method, []):
        return False
    if method in ("supervisor.addProcessGroup", "supervisor.removeProcessGroup"):
        # a group that is added again has none of our sockets (supervisor_sockets.py)
        return params[0] not in shared
    if method in ("supervisor.signalProcess", "supervisor.signalProcessGroup"):
        return params[1] in SIGNALS
    return True


PARAM = "methodCall params param value "
ELEMENTS = ["methodCall", "methodCall methodName", "methodCall params", "methodCall params param",
            PARAM.strip(), PARAM + "string", PARAM + "boolean"]


def call_in(body):
    """
    The method and the parameters of an XML-RPC call, which are texts and booleans, as ours are. ValueError for all else
    that XML could have: a document type with its entities, which cost more than their bytes, numbers, lists, attributes.
    """
    path, texts, params, methods = [], [], [], []

    def refuse(*_):
        raise ValueError

    def start(name, attributes):
        path.append(name)
        if attributes or " ".join(path) not in ELEMENTS:
            raise ValueError
        texts.clear()

    def end(_):
        name, text = path.pop(), "".join(texts)
        if name == "methodName":
            methods.append(text)
        elif name == "string":
            params.append(text)
        elif name == "boolean":
            params.append(text == "1")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, texts.append
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ProcessingInstructionHandler = refuse
    parser.Parse(body, True)
    if len(methods) != 1:
        raise ValueError
    return methods[0], tuple(params)


class Turn:
    """What is left of the web app's time before supervisord does something else: its programs, and what `up` asks."""

    left = TURN

    @classmethod
    def spend(cls, work):
        if cls.left > 0:
            began = time.monotonic()
            try:
                work()
            finally:
                cls.left -= time.monotonic() - began


def channels():
    return [one for one in asyncore_25.socket_map.values() if isinstance(one, Channel)]


class Channel(deferring_http_channel):
    """A client's connection."""

    def __init__(self, server, conn, addr):
        deferring_http_channel.__init__(self, server, conn, addr)
        _, uid, _ = struct.unpack("3i", conn.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
        # `up` waits for nobody, and takes nobody's place
        self.is_own = uid == os.getuid()
        self._taken = 0
        self.answer_bytes = 0
        others = [one for one in channels() if not one.is_own]
        if len(others) > MOST_CONNECTIONS:
            # the oldest, so that the newest, which may be ours, has its answer
            min(others, key=lambda one: one.channel_number).close()

    def _work(self, work):
        if asyncore_25.socket_map.get(self._fileno) is not self:
            return  # closed in this turn; another connection may have its number
        if self.is_own:
            work()
        else:
            Turn.spend(work)

    def handle_read(self):
        self._work(lambda: deferring_http_channel.handle_read(self))

    def handle_write(self):
        self._work(lambda: deferring_http_channel.handle_write(self))

    def log_info(self, message, type="info"):
        self.server.log_info(message, type)

    def recv(self, size):
        data = deferring_http_channel.recv(self, size)
        self._taken += len(data)
        if self._taken <= MOST_BYTES:
            return data
        self.close()
        return b""

    def held(self):
        """Bytes of answers that the client has not taken."""
        return self.answer_bytes if len(self.producer_fifo) or self.ac_out_buffer else 0

    def found_terminator(self):
        self._taken = 0
        is_call = self.current_request is not None
        # a client of ours waits for its answer before it asks for more
        if len(self.producer_fifo) >= MOST_ANSWERS or is_call and self.ac_in_buffer:
            self.ac_in_buffer = b""  # what else came with it is not looked at
            return self.close()
        deferring_http_channel.found_terminator(self)
        if not is_call and not isinstance(self.get_terminator(), int):
            self.ac_in_buffer = b""  # a body that nobody waits for
            self.close_when_done()


def accept_some(door, server):
    """Takes some of those who wait at a door."""
    for _ in range(MOST_NEW):
        try:
            conn, addr = door.socket.accept()
        except OSError:
            return
        conn.setblocking(False)
        Channel(server, conn, addr)


class OwnDoor(asyncore_25.dispatcher):
    """
    The socket of `up` alone: where others connect without end, the kernel refuses who comes then. Beside the other socket,
    in a folder of root's.
    """

    def __init__(self, server):
        asyncore_25.dispatcher.__init__(self)
        self._server = server
        path = os.path.join(os.path.dirname(server.port), "own.sock")
        if os.path.lexists(path):
            os.unlink(path)  # of a supervisord that died
        self.create_socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            self.bind(path)
        finally:
            os.umask(before)
        self.listen(WAITING)

    def writable(self):
        return False

    def handle_accept(self):
        accept_some(self, self._server)


def ask(handler, request):
    """Takes a request's head."""
    length = request.get_header("content-length") or ""
    if request.command == "POST" and re.fullmatch(r"[1-9]\d{0,3}", length) and int(length) <= MOST_BYTES:
        request.collector = collector(handler, request)
        return
    request.error(400)


def answer(handler, body, request):
    """Answers a request. Other faults than those of its methods end its connection."""
    try:
        method, params = call_in(body)
    except (ValueError, expat.ExpatError):
        return request.error(400)
    try:
        value = handler.call(method, params)
    except RPCError as error:
        value = xmlrpclib.Fault(error.code, error.text)
    if isinstance(value, types.FunctionType):  # it is not done yet
        return request.channel.push_with_producer(DeferredXMLRPCResponse(request, value))
    told = as_bytes(xmlrpc_marshal(value))
    channel = request.channel
    channel.answer_bytes = len(told)
    if not channel.is_own and sum(one.held() for one in channels() if not one.is_own) + len(told) > MOST_HELD:
        return channel.close()
    request["Content-Type"] = "text/xml"
    request["Content-Length"] = len(told)
    request.push(told)
    request.done()


class Lines:
    """What clients did wrong, for supervisord's log."""

    def __init__(self, say):
        self._say = say
        self._at = None
        self._more = 0

    def log(self, message):
        now = time.monotonic()
        if "error" not in message.lower():
            return
        if self._at is not None and now - self._at < QUIET:
            self._more += 1
            return
        self._say("%s (and %d more since the last)" % (message.strip()[:500], self._more))
        self._at, self._more = now, 0


def use(supervisord):
    """What supervisord calls as the factory of an RPC interface, which is before it serves; this one has no methods."""
    options = supervisord.options
    shared = shared_programs(supervisord)
    standard = supervisor_xmlrpc_handler.call

    def call(handler, method, params):
        if not is_ours(method, params, shared):
            raise RPCError(Faults.UNKNOWN_METHOD)
        return standard(handler, method, params)

    supervisor_xmlrpc_handler.call = call
    supervisor_xmlrpc_handler.continue_request = answer
    supervisor_xmlrpc_handler.handle_request = ask
    supervisor_http_server.handle_accept = lambda self: accept_some(self, self)
    # it listens already, and gets its handlers in a moment
    OwnDoor(next(one for one in asyncore_25.socket_map.values() if isinstance(one, supervisor_http_server)))
    lines = Lines(options.logger.error)
    LogWrapper.log = lambda self, message: lines.log(message)
    # its pages, where a GET stops everything, and its logs
    for handler in (supervisor_ui_handler, logtail_handler, mainlogtail_handler, default_handler):
        handler.match = lambda self, request: False
    poll = options.poller.poll

    def poll_anew(timeout):
        Turn.left = TURN
        return poll(timeout)

    options.poller.poll = poll_anew
    return object()
