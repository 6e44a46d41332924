/** The description of the API as something that answers can be checked against. */
import { strict as assert } from "node:assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { OpenApiDocument } from "../../lib/reports/openapi/document.ts";

export interface Operation {
  path: string;
  method: string;
  // deno-lint-ignore no-explicit-any -- the document's form is checked by OpenAPI's own schema
  described: any;
}

export interface ApiDescription {
  /** By operationId. */
  operations: ReadonlyMap<string, Operation>;
  /** @throws when the answer is not one that the operation describes. @param text of its body. */
  checkAnswer(operation: string, answer: Response, text: string): void;
  /** @throws when a body that was taken is not as described. */
  checkBody(operation: string, body: unknown): void;
  /** @throws when a value is not of a schema. @param name such as "StateEvent". */
  checkValue(name: string, value: unknown): void;
}

/** Answers in which nothing may be that is not described: a client may not know it, but we do. */
function closed(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = "properties" in inner && inner.type === "object" && !("additionalProperties" in inner);
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}

export function apiDescription(document: OpenApiDocument): ApiDescription {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...closed(document) as object, $id: "api" });
  ajv.addSchema({ ...document, $id: "bodies" });
  const check = (of: "api" | "bodies", ref: string, value: unknown, what: string) => {
    const validate = ajv.getSchema(`${of}${ref}`)!;
    assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
  };
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      operations.set(described.operationId as string, { path, method: method.toUpperCase(), described });
    }
  }
  return {
    operations,
    checkAnswer(operation, { status, headers }, text) {
      const { described, method } = operations.get(operation)!;
      const answer = described.responses[status] ?? document.components.responses.Error;
      const what = `${operation} (${status})`;
      if (method === "HEAD" || text === "") return;
      const type = headers.get("content-type")?.split(";")[0];
      assert.ok(answer.content?.[type!], `${what}: ${type}`);
      const { schema } = answer.content[type!];
      if (schema) check("api", schema.$ref, JSON.parse(text), what);
    },
    checkBody(operation, body) {
      const taken = operations.get(operation)!.described.requestBody?.content["application/json"].schema;
      if (taken) check("bodies", taken.$ref, body, `${operation}: its body`);
    },
    checkValue: (name, value) => check("api", `#/components/schemas/${name}`, value, name),
  };
}
