/** The name of the recorder's socket, in the capture program's folder. */
export const RECORDER_SOCKET = "recorder";
