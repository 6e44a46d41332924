/** The end of a stream's programs, whatever they are doing just then. */
import type { StreamId } from "../../model/id.ts";
import { isAlive, PIPELINE_PROGRAMS, type ProgramKind } from "../../model/programs.ts";
import type { Supervisor } from "../../supervisor/control.ts";
import { programName } from "../../supervisor/program_files.ts";
import type { Program, ProgramStatus } from "../../supervisor/status.ts";

export interface StopParts {
  supervisor: Pick<Supervisor, "stop">;
  status: Pick<ProgramStatus, "programs">;
}

/** A single round is enough except for a program that ends by itself at that very moment. */
const STOP_ROUNDS = 5;

/**
 * Stops programs until none of these kinds runs, or will be restarted in a moment.
 * @param names the programs and groups, as the supervisor's tool takes them.
 */
export async function stopPrograms(
  { supervisor, status }: StopParts,
  id: StreamId,
  kinds: readonly ProgramKind[],
  names: string[],
): Promise<void> {
  const isAnyLeft = async () => {
    const programs = await status.programs(0);
    return kinds.some((kind) => {
      const program = programs.get(programName(kind, id));
      return program !== undefined && (isAlive(program.state) || willBeRestarted(kind, program));
    });
  };
  // a program that dies with its display just then counts as "not running" and is restarted: ask, and stop again
  for (let round = 0; round < STOP_ROUNDS && await isAnyLeft(); round++) await supervisor.stop(names);
}

/** EXITED on its own: the supervisor restarts a pipeline's program at its next round. */
function willBeRestarted(kind: ProgramKind, program: Program): boolean {
  return PIPELINE_PROGRAMS.includes(kind) && program.state === "EXITED";
}
