/** Tests of what only root can do: it becomes other users, and sets what the kernel holds them to. */

/** A test that says in its name that it needs root, and is skipped without. */
export function needsRoot(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `${name} [needs root]`, ignore: Deno.uid() !== 0, fn });
}
