# Written by browser-stream at every start: changes here are lost.
"""
Listens for the programs whose settings say where, before any program is started, and hands them the sockets. So the ports
are supervisord's from the service's start to its end: no other user gets one while a program is restarted, and who connects
meanwhile waits for it.
"""
import errno
import fcntl
import os
import socket
import time

# the first number that is not a standard one, as systemd has it for what it hands over
FIRST = 3
# connections that wait for a program, as nginx has them
WAITING = 511

# seconds that programs of a supervisord that died get to be gone, which have the same sockets
PATIENCE = 2

SOCKETS = {}
LATEST = time.monotonic() + PATIENCE


def make(address):
    host, port = address.rsplit(":", 1)
    host = host.strip("[]")
    is_v6 = ":" in host
    made = socket.socket(socket.AF_INET6 if is_v6 else socket.AF_INET, socket.SOCK_STREAM)
    if is_v6:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    return made, (host, int(port))


def bind(made, place):
    while True:
        try:
            return made.bind(place)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > LATEST:
                raise
        time.sleep(0.05)


def listen(address, untaken_ms):
    """
    @param untaken_ms milliseconds that what the program has sent may wait: for a machine that is gone without a word, and for
    a client that reads nothing, whose connection TCP itself keeps for ever (RFC 9293, section 3.8.6.1; tcp(7)). 0: no limit.
    """
    if address not in SOCKETS:
        listening, place = make(address)
        # what is left of connections to the service before does not count
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # each connection that comes in has it from here
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, untaken_ms)
        bind(listening, place)
        listening.listen(WAITING)
        SOCKETS[address] = listening
    return SOCKETS[address]


def hold(address):
    """Takes an address that nothing of ours answers on: who connects is refused, and nobody else can listen there."""
    if address not in SOCKETS:
        held, place = make(address)
        bind(held, place)
        SOCKETS[address] = held


def hand_over(process, sockets):
    """Gives a program the sockets as its files 3, 4, ..."""
    prepare_standard = process._prepare_child_fds
    options = process.config.options
    end = FIRST + len(sockets)

    def prepare():
        # in the child, which ends or becomes the program; copies, as some may have the numbers that others get
        copies = [fcntl.fcntl(one.fileno(), fcntl.F_DUPFD, end) for one in sockets]
        most, options.minfds = options.minfds, 0  # to close nothing yet
        prepare_standard()
        for at, copy in enumerate(copies):
            os.dup2(copy, FIRST + at)
        os.closerange(end, most)

    process._prepare_child_fds = prepare


def use(supervisord):
    """What supervisord calls as the factory of an RPC interface, which is before it starts programs; this one has no methods."""
    for group in supervisord.process_groups.values():
        for process in group.processes.values():
            settings = process.config.environment or {}
            for address in settings.get("HELD", "").split():
                hold(address)
            untaken_ms = int(settings.get("UNTAKEN_MS", "0"))
            sockets = [listen(address, untaken_ms) for address in settings.get("LISTEN_ON", "").split()]
            if sockets:
                hand_over(process, sockets)
    return object()
