/** The command line of this program: the supervisor's programs are its subcommands. */

export interface SelfCommand {
  /** The folder that holds templates/. */
  root: string;
  /** Command line of this program, without a subcommand. */
  executable: string[];
}

/** @param main the entry module's URL. The compiled executable is its own command. */
export function selfCommand(main: string, root: string): SelfCommand {
  if (Deno.build.standalone) return { root, executable: [Deno.execPath()] };
  const path = decodeURIComponent(new URL(main).pathname);
  const flags = ["--no-config", "--no-lock", "--no-remote", "--no-prompt", "--quiet"];
  return { root, executable: [Deno.execPath(), "run", "-A", ...flags, path] };
}
