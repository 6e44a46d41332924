/** The text of a file that a person brings, for the form as well. Pure. */
export { decoded, EncodingError } from "../../machine/tools/text_encoding.ts";
