/** A stream's secrets: they are stored, and go only to the page's own sites, or the server that it is pushed to; no client gets them back. Pure. */

/** The secret fields, each with its word for people. */
export const SECRETS = {
  pass: "password",
  extraHeaders: "extra headers",
  extraCookies: "extra cookies",
  pushKey: "stream key",
} as const;

export type SecretField = keyof typeof SECRETS;

/** The name of the field that says whether a secret is set. */
export type SecretSet = `${SecretField}Set`;

export const SECRET_FIELDS = Object.keys(SECRETS) as SecretField[];

export function setName(field: SecretField): SecretSet {
  return `${field}Set`;
}

export function isSecret(field: string): field is SecretField {
  return Object.hasOwn(SECRETS, field);
}
