/** The id of a tried page's stream for some seconds. No stream can have it: an address below /api/streams/ has. */
export const TRIAL_ID = "try";
