/** Another user of the machine, who wants somebody's display. */
import { displaySocket } from "../../lib/live/programs/commands/spec.ts";

const NOBODY = 65_534;

/**
 * How a socket is taken: with a file, or without; without, but nobody listens ("bound"), or so many wait to be accepted
 * that nobody else may ("full").
 */
type Kind = "file" | "abstract" | "bound" | "full";

/** Takes what is named, as soon as nobody else has it; then prints what others say there, such as a display's key. */
const TAKE = String.raw`
use Socket; $| = 1; my @kept; my @silent; my $path = shift;
for (@ARGV) {
  socket(my $s, AF_UNIX, SOCK_STREAM, 0);
  my $name = pack_sockaddr_un($_ eq "file" ? $path : "\0$path");
  select(undef, undef, undef, 0.001) until bind($s, $name);
  push @{/bound|full/ ? \@silent : \@kept}, $s;
  next if $_ eq "bound";
  listen($s, $_ eq "full" ? 0 : 5);
  next if $_ ne "full";
  socket(my $first, AF_UNIX, SOCK_STREAM, 0);
  connect($first, $name);
  push @silent, $first;
}
print "ready\n";
while (1) {
  my $all = "";
  vec($all, fileno($_), 1) = 1 for @kept;
  select(my $some = $all, undef, undef, undef);
  for (grep { vec($some, fileno($_), 1) } @kept) {
    accept(my $client, $_);
    while (sysread($client, my $said, 4096)) { print $said }
  }
}
`;

export interface Stranger extends AsyncDisposable {
  pid: number;
  /** Resolves when all of the sockets are the stranger's. */
  hasAll: Promise<void>;
  /** What the stranger was told so far. */
  heard: string;
}

/** Takes the sockets of a display, as soon as nobody else has them. */
export function displayStranger(display: number, ...kinds: Kind[]): Stranger {
  const path = displaySocket(display);
  const as = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  const args = [...as, "--", "perl", "-e", TAKE, path, ...kinds];
  const child = new Deno.Command("setpriv", { args, stdout: "piped" }).spawn();
  const { promise: hasAll, resolve } = Promise.withResolvers<void>();
  const READY = "ready\n";
  const one: Stranger = {
    pid: child.pid,
    hasAll,
    heard: "",
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await reading;
      await Deno.remove(path).catch(() => {});
    },
  };
  let text = "";
  const reading = child.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(chunk) {
        text += chunk;
        if (!text.startsWith(READY)) return;
        resolve();
        one.heard = text.slice(READY.length);
      },
    }),
  );
  return one;
}
