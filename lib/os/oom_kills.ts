/** How many processes the kernel has ended since its start because there was no memory, for a group or at all; 0 where it does not tell. */
export async function oomKills(vmstat = "/proc/vmstat"): Promise<number> {
  const text = await Deno.readTextFile(vmstat).catch(() => "");
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}
