import { ownTimeZone } from "../../lib/model/plan/local_time.ts";
import { COLOR_SCHEMES } from "../../lib/model/page_settings.ts";
import {
  ENCODER_PRESETS,
  ENCODER_TUNES,
  QUALITY_PRESETS,
  REWIND_FOR,
  type StreamFields,
  streamFields,
  WHILE_BROKEN,
} from "../../lib/model/schema.ts";

/** The stream form's options and first values. */
export interface FormOptions {
  qualityPresets: Record<string, Partial<StreamFields>>;
  encoderPresets: readonly string[];
  encoderTunes: readonly string[];
  whileBroken: readonly string[];
  rewindFor: readonly string[];
  colorSchemes: readonly string[];
  defaults: StreamFields;
  /** The time zone of plans that name none: the service's. */
  timeZone: string;
}

const schemaDefaults = streamFields.parse({ name: "-", url: "http://localhost" });

/**
 * The schema's own choices as plain data. Only routes import this value and hand it to islands as a prop: the
 * schema brings zod along, which browsers need not download.
 */
export const formOptions: FormOptions = {
  qualityPresets: QUALITY_PRESETS,
  encoderPresets: ENCODER_PRESETS,
  encoderTunes: ENCODER_TUNES,
  whileBroken: WHILE_BROKEN,
  rewindFor: REWIND_FOR,
  colorSchemes: COLOR_SCHEMES,
  defaults: { ...schemaDefaults, ...QUALITY_PRESETS.Dashboard, name: "", url: "" },
  timeZone: ownTimeZone(),
};
