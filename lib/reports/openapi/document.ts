/** The description of the API for programs: OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html). Made once. */
import * as z from "zod";
import { VERSION_HEADER } from "../../door/headers.ts";
import { LEAST_ROLES } from "../../door/roles.ts";
import type { Role } from "../../role.ts";
import { VERSION } from "../../machine/tools/version.ts";
import { ANSWERS } from "./answers.ts";
import { BODIES } from "./bodies.ts";
import type { Answer, Operation, Paths } from "./operation.ts";
import { ACCESS_PATHS } from "./access_paths.ts";
import { MESSAGE_PATHS, MONITORING_PATHS, SERVICE_PATHS } from "./service_paths.ts";
import { LIST_PATHS, STREAM_PATHS } from "./stream_paths.ts";
import { NODE_PATHS } from "./node_paths.ts";
import { PAST_PATHS } from "./past_paths.ts";
import { APP_PATHS, VIEWING_PATHS } from "./viewing_paths.ts";
import { WALL_PATHS } from "./wall_paths.ts";

export type Json = Record<string, unknown>;

export interface OpenApiDocument extends Json {
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json>; responses: Record<string, Json> } & Json;
}

export const PATHS: Paths = {
  ...LIST_PATHS,
  ...STREAM_PATHS,
  ...VIEWING_PATHS,
  ...PAST_PATHS,
  ...APP_PATHS,
  ...WALL_PATHS,
  ...NODE_PATHS,
  ...SERVICE_PATHS,
  ...MESSAGE_PATHS,
  ...MONITORING_PATHS,
  ...ACCESS_PATHS,
};

const SCHEMAS = "#/components/schemas/";

const ABOUT =
  "Web pages as live HLS channels. With a login, a request needs the cookie of a session. An access token opens " +
  "playlists, channels and thumbnails instead, below /t/{token}. `x-role` is the least role for an operation: " +
  "viewer, operator or admin. Clients must ignore fields that they do not know. Deprecated operations and fields " +
  "are marked here, and their answers have the header Deprecation (RFC 9745).";

const PARAMETERS: Readonly<Record<string, string>> = {
  id: "The id of a stream, a wall, an access token or a receiver.",
  name: "The name of a node or a user.",
  program: "A program of the stream, such as `browser` or `encoder`.",
  path: "The path of a file. Its slashes stay as they are.",
};

/** @param cookieName the session's cookie. */
export function openApiDocument(cookieName: string): OpenApiDocument {
  const paths = Object.entries(PATHS).map(([path, methods]) => {
    const operations = Object.entries(methods).map((
      [method, one],
    ) => [method, operationJson(path, method, one)]);
    return [path, Object.fromEntries(operations)];
  });
  return {
    openapi: "3.1.1",
    info: { title: "Browser Stream Service", version: VERSION, description: ABOUT },
    servers: [{ url: "/" }],
    // the second: where there is no login, or an access token is in the address
    security: [{ session: [] }, {}],
    tags: ["Streams", "Viewing", "Walls", "Nodes", "Service", "Access"].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: { ...jsonSchemas(ANSWERS, "output"), ...jsonSchemas(BODIES, "input") },
      headers: { Version: { description: "The service's version.", schema: { type: "string" } } },
      responses: { Error: answerJson({ what: "An error.", json: "Error" }) },
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: cookieName,
          description: "The cookie that a POST to /login with the form fields user and pass answers with.",
        },
      },
    },
  };
}

/** Schemas by their names, with references to each other. */
function jsonSchemas(
  named: Readonly<Record<string, z.ZodType>>,
  io: "input" | "output",
): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => SCHEMAS + id,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // zod leaves the default out where texts are taken for numbers
      const { def } = zodSchema._zod;
      if (io === "input" && def.type === "default") jsonSchema.default = def.defaultValue as Json["default"];
      // a client that refuses unknown fields breaks with the next version
      if (io === "output" && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties;
      }
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _address, ...schema }]) => [id, schema]),
  );
}

/** Null: everybody may. */
function roleOf(path: string, method: string): Role | null {
  const read = ["head", "options"].includes(method) ? "GET" : method.toUpperCase();
  return LEAST_ROLES[`${read} ${path}`] ?? null;
}

function operationJson(path: string, method: string, operation: Operation): Json {
  const { id, tag, summary, description, query = {}, body, answers } = operation;
  const role = roleOf(path, method);
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: "path",
    required: true,
    description: PARAMETERS[name],
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([name, what]) => ({
    name,
    in: "query",
    allowEmptyValue: true,
    description: what,
    schema: { type: "string" },
  }));
  const parameters = [...inPath, ...inQuery];
  const responses = Object.entries(answers).map(([status, answer]) => [status, answerJson(answer)]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    ...(role ? { "x-role": role } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: jsonContent(body) } } : {}),
    responses: { ...Object.fromEntries(responses), default: { $ref: "#/components/responses/Error" } },
  };
}

function answerJson({ what, json, types = [], headers = {} }: Answer): Json {
  const content = {
    ...(json ? jsonContent(json) : {}),
    ...Object.fromEntries(types.map((type) => [type, {}])),
  };
  const told = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: "string" } },
  ]);
  return {
    description: what,
    headers: { [VERSION_HEADER]: { $ref: "#/components/headers/Version" }, ...Object.fromEntries(told) },
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

const jsonContent = (name: string): Json => ({ "application/json": { schema: { $ref: SCHEMAS + name } } });
