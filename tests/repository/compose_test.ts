/** docker-compose.yml and docker/seccomp.json against the code, without an engine. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { VARIABLES } from "../../lib/config.ts";
import { root } from "../support/fixture.ts";
import { readCompose } from "../support/compose_file.ts";

interface Rule {
  names: string[];
  action: string;
  args?: { index: number; value: number; op: string }[];
  includes?: { caps?: string[] };
}

/** Source: linux/sched.h */
const CLONE = { NEWNS: 0x20000, NEWCGROUP: 0x2000000, NEWUTS: 0x4000000, NEWIPC: 0x8000000 };

const compose = readCompose();
const profile: { defaultAction: string; syscalls: Rule[] } = JSON.parse(
  Deno.readTextFileSync(join(root, "docker/seccomp.json")),
);

/** The rules that let a system call through, with or without a condition. */
function allowing(name: string): Rule[] {
  return profile.syscalls.filter(({ names, action }) => action === "SCMP_ACT_ALLOW" && names.includes(name));
}

Deno.test("docker-compose.yml has every variable with its default", () => {
  const lines = [...compose.matchAll(/^ {6}([A-Z_]+): (?:\$\{(\w+):-(.*)\}|"(.*)")$/gm)];
  const listed = lines.map(([, name, from, fallback, fixed]) => {
    assert.equal(from ?? name, name);
    return [name, fallback ?? fixed];
  });
  const expected = Object.entries(VARIABLES).map((
    [name, { fallback }],
  ) => [name, name === "DATA_DIR" ? "/app/data" : fallback]);
  assert.deepEqual(listed.sort(), expected.sort());
});

Deno.test("docker-compose.yml publishes the web app alone, and keeps streams and profiles", () => {
  const published = [...compose.matchAll(/^ {6}- "([^"]*:\d+)"/gm)].map(([, port]) => port);
  assert.deepEqual(published, ["${PUBLISH:-3000}:3000"]);
  assert.match(compose, /^ {6}# - "1935:1935"/m);
  assert.match(compose, /^ {6}- streams:\/app\/data\/streams$/m);
  assert.doesNotMatch(compose, /unconfined|privileged: true/);
});

Deno.test("the seccomp profile refuses what it does not name, and names nothing that reaches out of a container", () => {
  assert.equal(profile.defaultAction, "SCMP_ACT_ERRNO");
  const never = ["mount", "umount2", "pivot_root", "bpf", "ptrace", "process_vm_readv", "process_vm_writev"]
    .concat(
      "keyctl",
      "add_key",
      "userfaultfd",
      "perf_event_open",
      "kexec_load",
      "init_module",
      "open_by_handle_at",
    )
    .concat("io_uring_setup", "move_mount", "fsopen", "sethostname", "reboot", "swapon", "clone3");
  assert.deepEqual(never.filter((name) => allowing(name).length > 0), []);
});

Deno.test("the seccomp profile lets nobody make the namespaces that a sandbox does not need", () => {
  const all = CLONE.NEWNS | CLONE.NEWCGROUP | CLONE.NEWUTS | CLONE.NEWIPC;
  for (const name of ["clone", "unshare"]) {
    for (const { args, includes } of allowing(name)) {
      const mask = includes?.caps?.includes("CAP_SYS_ADMIN") ? all & ~CLONE.NEWIPC : all;
      assert.deepEqual(args, [{ index: 0, value: mask, op: "SCMP_CMP_MASKED_EQ" }]);
    }
  }
  const [only, ...more] = allowing("setns");
  assert.deepEqual(more, []);
  assert.deepEqual(only.includes, { caps: ["CAP_SYS_ADMIN"] });
  assert.deepEqual(only.args, [{ index: 1, value: CLONE.NEWIPC, op: "SCMP_CMP_EQ" }]);
});
