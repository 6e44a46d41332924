/** A stream in requests and answers, made of the one schema of its fields. */
import * as z from "zod";
import { FIELD_ROWS, FIELDS } from "../../model/fields.ts";
import { newStream, type PublicStream, type StreamFields, streamFields } from "../../model/schema.ts";
import { isSecret, SECRET_FIELDS, SECRETS, setName } from "../../model/secrets.ts";
import { plainMeaning } from "./field_meanings.ts";

type Field = keyof StreamFields;

const DEFAULTS = streamFields.parse({ name: "Clock", url: "https://clock.example.org/" });

/** A field's schema without its default: the meaning of an absent field differs from request to request. */
function withoutDefault(field: Field): z.ZodType {
  const schema: z.ZodType = streamFields.shape[field];
  return schema instanceof z.ZodDefault ? schema.unwrap() as z.ZodType : schema;
}

const described = (field: Field, schema: z.ZodType) =>
  schema.meta({ title: FIELD_ROWS[field].label, description: plainMeaning(field) });

const shapeOf = (schemaOf: (field: Field) => z.ZodType) =>
  Object.fromEntries(FIELDS.map((field) => [field, described(field, schemaOf(field))]));

const revision = z.number().int().meta({
  description:
    "The revision that the change was made from. The answer is a 409 if the stream has another one.",
});

/** The body of a POST. Fields of other tools are stored, too. */
export const newStreamBody = newStream.extend(shapeOf((field) => streamFields.shape[field]));

/** The body of a PUT: absent fields get their default. */
export const wholeStreamBody = newStreamBody.omit({ id: true }).extend({ revision: revision.optional() });

/** The body of a PATCH: absent fields stay. */
export const streamChangeBody = z.looseObject({
  ...shapeOf((field) => withoutDefault(field).optional()),
  desiredState: z.enum(["running", "stopped"]).optional(),
  revision: revision.optional(),
});

export const autoReloadBody = z.strictObject(
  Object.fromEntries(
    (["autoReload", "autoReloadInterval"] as const).map((field) =>
      [field, described(field, withoutDefault(field).optional())] as const
    ),
  ),
);

/** The schema of a field's stored value: requests may write the value in several ways. */
function storedField(field: Field): z.ZodType {
  const schema = withoutDefault(field);
  if (schema instanceof z.ZodEnum) return schema;
  const value = DEFAULTS[field];
  if (typeof value === "number") return z.number();
  return typeof value === "boolean" ? z.boolean() : z.string();
}

const shown = Object.fromEntries(
  Object.entries(shapeOf(storedField)).filter(([field]) => !isSecret(field)),
);

/** Loose: fields of other tools come back, except fields that sound like secrets. */
export const streamAnswer = z.looseObject({
  ...shown,
  id: z.string().meta({ description: "The stream's id, which never changes." }),
  order: z.number().int().meta({ description: "The card's position." }),
  revision: z.number().int().meta({ description: "The number of changes of the settings." }),
  desiredState: z.enum(["running", "stopped"]),
  planOverride: z.object({ onAir: z.boolean(), until: z.number().int() }).optional().meta({
    description:
      "A person's wish that counts until a time (Unix ms), instead of the plan. Start and stop set it.",
  }),
  nameFollowsTitle: z.boolean().optional().meta({
    description:
      "Whether the page's title becomes the name once it is known. A request with a name ends that.",
  }),
  ...Object.fromEntries(
    SECRET_FIELDS.map((field) => [
      setName(field),
      z.boolean().meta({ description: `Whether this secret is stored: ${SECRETS[field]}.` }),
    ]),
  ),
}) as unknown as z.ZodType<PublicStream>;
