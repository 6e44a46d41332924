/** The sockets that supervisord hands to a program: its files from 3 on (templates/supervisor_sockets.py). */

/** The number of handed sockets. */
function handedSockets(): number {
  return (Deno.env.get("LISTEN_ON") ?? "").split(" ").filter(Boolean).length;
}

/**
 * The environment and the sockets for a process that becomes nginx: nginx takes the sockets of its configuration from
 * this variable, as at an upgrade of its binary (nginx's src/core/nginx.c). Missing sockets it makes itself.
 */
export function nginxSockets(): { env: Record<string, string>; sockets: number } {
  const sockets = handedSockets();
  const numbers = Array.from({ length: sockets }, (_, at) => `${3 + at};`);
  return { env: sockets > 0 ? { NGINX: numbers.join("") } : {}, sockets };
}

/** Whether a program that needs a socket as its standard input has one. */
export function hasSocket(): boolean {
  return handedSockets() > 0;
}
