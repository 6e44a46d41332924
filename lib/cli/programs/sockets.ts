/** The sockets that supervisord hands to a program: its files from 3 on (templates/supervisor_sockets.py). */

/** How many there are. */
function handedSockets(): number {
  return (Deno.env.get("LISTEN_ON") ?? "").split(" ").filter(Boolean).length;
}

/**
 * What becomes nginx with the sockets as its own: it takes those that its configuration names from this variable, as at an
 * upgrade of its binary (nginx's src/core/nginx.c). The others it makes itself.
 */
export function nginxSockets(): { env: Record<string, string>; sockets: number } {
  const sockets = handedSockets();
  const numbers = Array.from({ length: sockets }, (_, at) => `${3 + at};`);
  return { env: sockets > 0 ? { NGINX: numbers.join("") } : {}, sockets };
}

/** Whether there is a socket for a program that takes one as its standard input. */
export function hasSocket(): boolean {
  return handedSockets() > 0;
}
