/**
 * Imported before any schema: zod's faster parsers are made with new Function(), which our content policy forbids and
 * which browsers report even when it is only tried.
 */
import { config } from "zod";

config({ jitless: true });
