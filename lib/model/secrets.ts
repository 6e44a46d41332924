/** A stream's secrets: they are stored, and go to the page's own sites alone; nobody gets them back. Pure. */

/** The fields with their word for people. */
export const SECRETS = {
  pass: "password",
  extraHeaders: "extra headers",
  extraCookies: "extra cookies",
} as const;

export type SecretField = keyof typeof SECRETS;

/** What is told instead of a secret: whether there is one. */
export type SecretSet = `${SecretField}Set`;

export const SECRET_FIELDS = Object.keys(SECRETS) as SecretField[];

export function setName(field: SecretField): SecretSet {
  return `${field}Set`;
}

export function isSecret(field: string): field is SecretField {
  return Object.hasOwn(SECRETS, field);
}
