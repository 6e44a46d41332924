/** What deploy/ has for engines of several machines, against their schemas, the code and docker-compose.yml, without an engine. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { validate as namespace } from "kubernetes-models/_schemas/IoK8sApiCoreV1Namespace";
import { validate as service } from "kubernetes-models/_schemas/IoK8sApiCoreV1Service";
import { validate as statefulSet } from "kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet";
import { validate as networkPolicy } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy";
import { validate as disruption } from "kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget";
import { VARIABLES } from "../../lib/config.ts";
import { addedCapabilities, readCompose } from "../support/compose_file.ts";
import { root } from "../support/fixture.ts";

// deno-lint-ignore no-explicit-any -- what YAML says
type Yaml = any;
type Validate = ((value: unknown) => boolean) & { errors?: unknown };

const SCHEMAS: Record<string, unknown> = {
  "v1 Namespace": namespace,
  "v1 Service": service,
  "apps/v1 StatefulSet": statefulSet,
  "networking.k8s.io/v1 NetworkPolicy": networkPolicy,
  "policy/v1 PodDisruptionBudget": disruption,
};

const read = (path: string) => Deno.readTextFileSync(join(root, "deploy", path));

/** The paths of fields that nobody has read: a schema reads all that it knows. */
function unread(value: Yaml, use: (seen: Yaml) => void): string[] {
  const all = new Set<string>(), seen = new Set<string>();
  const watched = (of: Yaml, path: string): Yaml => {
    if (of === null || typeof of !== "object") return of;
    const copy = Array.isArray(of) ? [] : {};
    for (const [name, inner] of Object.entries(of)) {
      const own = `${path}/${name}`;
      all.add(own);
      const kept = watched(inner, own);
      Object.defineProperty(copy, name, { enumerable: true, get: () => (seen.add(own), kept) });
    }
    return copy;
  };
  use(watched(value, ""));
  return [...all.difference(seen)];
}

/** @throws {AssertionError} for what Kubernetes has no place for. */
function checkManifest(manifest: Yaml): void {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  const validate = SCHEMAS[kind] as Validate | undefined;
  assert.ok(validate, `no schema for ${kind}`);
  const unknown = unread(manifest, (seen) => assert.ok(validate(seen), JSON.stringify(validate.errors)));
  assert.deepEqual(unknown, [], kind);
}

const kustomization = parse(read("kubernetes/kustomization.yaml"));
const manifests: Yaml[] = kustomization.resources.flatMap((name: string) =>
  parseAllDocuments(read(`kubernetes/${name}`)).map((document) => document.toJS())
);
const pod = manifests.find(({ kind }) => kind === "StatefulSet").spec.template.spec;
const [container] = pod.containers;
const stack = parse(read("swarm/stack.yml"), { merge: true });

Deno.test("deploy: Kubernetes has a place for each field of the manifests, and no other is taken", () => {
  const listed = Array.from(Deno.readDirSync(join(root, "deploy/kubernetes")), ({ name }) => name)
    .filter((name) => name.endsWith(".yaml") && !["kustomization.yaml", "nats-values.yaml"].includes(name));
  assert.deepEqual(kustomization.resources.toSorted(), listed.sort());
  assert.equal(manifests.length, 6);
  for (const manifest of manifests) checkManifest(manifest);
  const wrong = structuredClone(manifests[0]);
  wrong.spec = { hologram: true };
  assert.throws(() => checkManifest(wrong), /hologram/);
  const set = structuredClone(manifests.find(({ kind }) => kind === "StatefulSet"));
  set.spec.replicas = "three";
  assert.throws(() => checkManifest(set), /replicas/);
});

Deno.test("deploy: what the manifests name is there", () => {
  const labels = { app: "browser-stream" };
  for (const { kind, spec } of manifests) {
    if (kind === "Service") assert.deepEqual(spec.selector, labels);
    if (kind === "PodDisruptionBudget") assert.deepEqual(spec.selector.matchLabels, labels);
    if (kind === "NetworkPolicy") assert.deepEqual(spec.podSelector.matchLabels, labels);
    if (kind !== "StatefulSet") continue;
    assert.deepEqual([spec.selector.matchLabels, spec.template.metadata.labels], [labels, labels]);
    const volumes = [...pod.volumes, ...spec.volumeClaimTemplates.map((one: Yaml) => one.metadata)];
    const names = volumes.map(({ name }) => name).toSorted();
    assert.deepEqual(container.volumeMounts.map(({ name }: Yaml) => name).toSorted(), names);
    assert.ok(manifests.some((one) => one.kind === "Service" && one.metadata.name === spec.serviceName));
  }
  const [{ name, files }] = kustomization.secretGenerator;
  assert.equal(pod.volumes.find((volume: Yaml) => volume.secret).secret.secretName, name);
  const mounted = files.map((file: string) => file.replace("secrets/", "/run/secrets/browser-stream/"));
  const asked = container.env.filter((one: Yaml) => /_FILE$/.test(one.name)).map(({ value }: Yaml) => value);
  assert.deepEqual(asked.toSorted(), mounted.toSorted());
});

Deno.test("deploy: a node gets known variables, and the rights of docker-compose.yml", () => {
  const rights = addedCapabilities(readCompose()).toSorted();
  const { node } = stack.services;
  const { capabilities, allowPrivilegeEscalation } = container.securityContext;
  for (const own of [capabilities, { drop: node.cap_drop, add: node.cap_add }]) {
    assert.deepEqual([own.drop, own.add.toSorted()], [["ALL"], rights]);
  }
  assert.equal(allowPrivilegeEscalation, false);
  const given = [container.env.map(({ name }: Yaml) => name), Object.keys(node.environment)];
  for (const names of given) {
    assert.deepEqual(names.filter((name: string) => !(name in VARIABLES)), []);
    for (const name of ["CLUSTER", "CLUSTER_SECRET_FILE", "CLUSTER_LOGIN_FILE", "NODE_NAME", "NODE_URL"]) {
      assert.ok(names.includes(name), name);
    }
  }
});

Deno.test("deploy: the stack's servers, secrets and volumes are those that it has", () => {
  const { services, secrets, volumes, networks } = stack;
  const servers = Object.keys(services).filter((name) => name !== "node");
  const addresses = services.node.environment.CLUSTER.split(",");
  assert.deepEqual(addresses, servers.map((name) => `nats://${name}:4222`));
  const made = read("swarm/secrets.sh");
  for (const name of servers) {
    assert.ok(made.includes(`@${name}:6222`), name);
    assert.equal(services[name].environment.SERVER_NAME, name);
  }
  const used = Object.values<Yaml>(services);
  assert.deepEqual([...new Set(used.flatMap((one) => one.secrets))].sort(), Object.keys(secrets).sort());
  for (const name of Object.keys(secrets)) assert.match(made, new RegExp(`> ${name.replace(".", "\\.")}\\b`));
  const mounted = used.flatMap((one) => one.volumes).flatMap((volume) =>
    typeof volume === "string" ? volume.split(":")[0] : []
  );
  assert.deepEqual(mounted.sort(), Object.keys(volumes).sort());
  assert.deepEqual([...new Set(used.flatMap((one) => one.networks))], Object.keys(networks));
  const files = Object.entries<string>(services.node.environment).filter(([name]) => name.endsWith("_FILE"));
  for (const [, path] of files) assert.ok(path.replace("/run/secrets/", "") in secrets, path);
});
