/**
 * Imported before any schema: zod makes its faster parsers with new Function(), which our content policy forbids.
 * Browsers report even the attempt.
 */
import { config } from "zod";

config({ jitless: true });
