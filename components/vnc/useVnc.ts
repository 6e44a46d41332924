import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError } from "../client/api.ts";
import { type RemoteScreen, remoteScreenOf } from "./remoteScreen.ts";
import { phaseAfter, stayConnected, type VncView } from "./session.ts";

const RELOAD_MS = 2000;

export interface Vnc {
  view: VncView;
  /** The client in the frame; null until it is loaded. */
  screen: RemoteScreen | null;
  /** Called for every load of the frame. */
  frameLoaded(frame: HTMLIFrameElement): Promise<void>;
}

/** Why the service takes this page for another site's; null: it does not. */
async function refusalOf(id: string): Promise<string | null> {
  try {
    await api.changeNothing(id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403 && !error.isOfProxy) return error.message;
    if (phaseAfter(error) !== "offline") throw error;
  }
  return null;
}

/** The connection to a stream's display: it is made as soon as the frame's client is there, and kept. */
export function useVnc(id: string): Vnc {
  const [view, setView] = useState<VncView>({ phase: "connecting" });
  const [screen, setScreen] = useState<RemoteScreen | null>(null);
  const reloading = useRef<ReturnType<typeof setTimeout>>();

  useEffect(() => () => clearTimeout(reloading.current), []);
  useEffect(() => {
    if (!screen) return;
    const end = new AbortController();
    stayConnected({
      status: async () => (await api.statuses()).content[id] ?? null,
      token: async () => (await api.vnc(id)).token,
      connect: (token, onConnect) =>
        new Promise((done) => {
          screen.onConnect = onConnect;
          screen.onClose = done;
          screen.connect(token);
        }),
      refusal: () => refusalOf(id),
      show: setView,
      pause: (ms) => new Promise((done) => setTimeout(done, ms)),
    }, end.signal);
    return () => {
      end.abort();
      screen.disconnect();
      screen.onClose();
    };
  }, [screen]);

  async function frameLoaded(frame: HTMLIFrameElement) {
    const loaded = await remoteScreenOf(frame);
    setScreen(loaded ?? null);
    if (loaded) return;
    // the client's files come through the VNC proxy, which may be starting, and need the session
    setView({ phase: await api.statuses().then(() => "offline" as const, phaseAfter) });
    reloading.current = setTimeout(() => frame.contentWindow?.location.reload(), RELOAD_MS);
  }

  return { view, screen, frameLoaded };
}
