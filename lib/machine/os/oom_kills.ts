/** Processes that the kernel has ended since its start for lack of memory, a group's or the machine's; 0: unknown. */
export async function oomKills(vmstat = "/proc/vmstat"): Promise<number> {
  const text = await Deno.readTextFile(vmstat).catch(() => "");
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}
