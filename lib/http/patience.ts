/** Asking again: a server on loopback that is being restarted is back in a moment. */

const AGAIN_MS = 100;

/**
 * What `action` gives, tried again while it fails. FFmpeg's players (mpv, Kodi, TVs) take three failed playlists in
 * a row, within 200 ms, for the channel's end; a media server's restart takes about as long.
 * @throws what `action` threw last, once `limit` aborts.
 */
export async function retryUntil<T>(action: () => Promise<T>, limit: AbortSignal): Promise<T> {
  while (true) {
    try {
      return await action();
    } catch (error) {
      if (limit.aborted) throw error;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}
