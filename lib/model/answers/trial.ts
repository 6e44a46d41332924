/** Id of the stream that a tried page has for some seconds. No stream can have it: addresses below /api/streams/ have. */
export const TRIAL_ID = "try";
