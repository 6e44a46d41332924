/** Starts that fail, a hundred times at every step that can (FAILING_STARTS): they leave nothing behind, and the next works. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { CLEANED_MS, count, isAnyProgramLeft, untilBack } from "../support/cycles.ts";
import { amongMountsOf, canMount, NEEDS_MOUNT, withOwnMounts } from "../support/mounts.ts";
import { within } from "../support/within.ts";
import { sharedService, SOURCE_PROGRAM, type TestService } from "../support/service.ts";

const STARTS = Number(Deno.env.get("FAILING_STARTS") ?? 100);
const NAME = "Clock";

interface StartFault {
  /** What fails; null: the start itself is refused. */
  program: "display" | "browser" | "audio" | null;
  begin(service: TestService, id: string): Promise<void>;
  end(service: TestService, id: string): Promise<void>;
}

/** Something is mounted in a path's place, for the service alone. */
function mounted(
  program: StartFault["program"],
  path: (service: TestService, id: string) => string,
  what: string[] = ["--bind", "/dev/null"],
): StartFault {
  return {
    program,
    begin: (service, id) => amongMountsOf(service.pid, ["/usr/bin/mount", ...what, path(service, id)]),
    end: (service, id) => amongMountsOf(service.pid, ["/usr/bin/umount", path(service, id)]),
  };
}

/** The lock and the socket of the first display. */
function displayPlaces({ env }: TestService): string[] {
  const number = Number(env.DISPLAY_BASE) + 1;
  return [`/tmp/.X${number}-lock`, `/tmp/.X11-unix/X${number}`];
}

/** A folder of Chromium's in the stream's profile. */
function innerProfile({ dataDir }: TestService, id: string): string {
  return join(dataDir, "profiles", id, "Default");
}

const vncFolder = ({ runDir }: TestService, id: string) => join(runDir, "vnc", id);

const FAULTS: Record<string, StartFault> = {
  "folders have the place of the display's lock and socket": {
    program: "display",
    begin: async (service) => {
      for (const path of displayPlaces(service)) await Deno.mkdir(path);
    },
    end: async (service) => {
      for (const path of displayPlaces(service)) await Deno.remove(path);
    },
  },
  "the browser's profile cannot be written": {
    program: "browser",
    begin: async (service, id) => {
      await Deno.chown(innerProfile(service, id), 0, 0);
    },
    end: async (service, id) => {
      const { uid, gid } = await Deno.stat(join(service.dataDir, "profiles", id));
      await Deno.chown(innerProfile(service, id), uid, gid);
    },
  },
  "the browser's program cannot be run": mounted("browser", () => "/usr/bin/chromium"),
  "the sound server's program cannot be run": mounted("audio", () => "/usr/bin/pulseaudio"),
  "a file that cannot be removed has the place of the stream's folder": {
    ...mounted(null, vncFolder),
    begin: async (service, id) => {
      await Deno.writeTextFile(vncFolder(service, id), "");
      await mounted(null, vncFolder).begin(service, id);
    },
  },
  // half way through: the display's folder and keys are made by then
  "the channel's folder cannot be made": mounted(
    null,
    ({ runDir }) => join(runDir, "hls", "live"),
    ["-t", "tmpfs", "-o", "ro", "tmpfs"],
  ),
};

/** Chromium's own: they come and go as long as the stream is there. */
const isCounted = (file: string) => !file.includes("/profiles/");

/** Starts the stream, and waits until that has failed. */
async function failToStart(service: TestService, id: string, { program }: StartFault): Promise<void> {
  const answer = await service.api("POST", `/api/streams/${id}/start`);
  if (program === null) return assert.ok(answer.status >= 500, `it was started: ${answer.status}`);
  let first = 0;
  await within(`${program} to fail`, 30_000, async () => {
    const { programs } = await service.status(id);
    const { state = "STOPPED", pid = 0 } = programs.find(({ name }) => name === `${program}-${id}`) ?? {};
    first ||= pid;
    return ["BACKOFF", "EXITED", "FATAL"].includes(state) || (pid > 0 && pid !== first);
  }, 50);
}

async function stop(service: TestService, id: string): Promise<number> {
  return (await service.api("POST", `/api/streams/${id}/stop`)).status;
}

async function checkFault(service: TestService, fault: StartFault): Promise<void> {
  const { id } = await service.sharedStream({ name: NAME, fps: 5 });
  // what a first start leaves on purpose is there then: profile, logs
  assert.ok((await service.api("POST", `/api/streams/${id}/start`)).ok);
  await service.untilState(id, "running");
  assert.ok(await stop(service, id) < 300);
  await within("all to have ended", CLEANED_MS, () => !isAnyProgramLeft(service));
  const before = count(service, isCounted);

  await fault.begin(service, id);
  try {
    for (let start = 1; start <= STARTS; start++) {
      await failToStart(service, id, fault);
      assert.equal(isAnyProgramLeft(service) && fault.program === null, false, "programs were started");
      const status = await stop(service, id);
      // what is in the way of a start may be in the way of tidying up, too
      if (fault.program !== null) assert.ok(status < 300, `it was not stopped: ${status}`);
    }
  } finally {
    await fault.end(service, id);
  }
  assert.ok(await stop(service, id) < 300, "it cannot be stopped");
  await untilBack(service, before, isCounted);

  assert.ok((await service.api("POST", `/api/streams/${id}/start`)).ok);
  await service.untilState(id, "running");
  assert.ok(await stop(service, id) < 300);
}

const titleOf = (name: string) => `${STARTS} failing starts leave nothing behind: ${name} (${NEEDS_MOUNT})`;

if (canMount()) {
  const serviceTest = sharedService({
    program: withOwnMounts(SOURCE_PROGRAM),
    timings: { statusCacheMs: 100 },
  });
  for (const [name, fault] of Object.entries(FAULTS)) {
    serviceTest(titleOf(name), (service) => checkFault(service, fault));
  }
} else {
  for (const name of Object.keys(FAULTS)) Deno.test.ignore(titleOf(name), () => {});
}
