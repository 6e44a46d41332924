# Written by browser-stream at every start: changes here are lost.
"""
Tells of all programs in a short text, for which we ask once a second. supervisord's own answer has a kilobyte for each
program, most of which nobody reads, and forty streams have more than two hundred.
"""
import json
import time

from supervisor.states import SupervisorStates, getProcessStateDescription
from supervisor.xmlrpc import Faults, RPCError


class Programs:
    def __init__(self, supervisord):
        self._supervisord = supervisord

    def all(self):
        """JSON: the time now, and of each program name, group, state, pid, last start, last stop, and problem."""
        if self._supervisord.options.mood < SupervisorStates.RUNNING:
            # as supervisord's own methods do
            raise RPCError(Faults.SHUTDOWN_STATE)
        programs = [
            [
                process.config.name,
                group.config.name,
                getProcessStateDescription(process.get_state()),
                process.pid,
                int(process.laststart),
                int(process.laststop),
                process.spawnerr or "",
            ]
            for group in self._supervisord.process_groups.values()
            for process in group.processes.values()
        ]
        return json.dumps([int(time.time()), programs])


def use(supervisord):
    """What supervisord calls as the factory of an RPC interface."""
    return Programs(supervisord)
