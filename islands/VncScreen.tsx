import { useEffect, useRef, useState } from "preact/hooks";
import { api, problemOf } from "../components/client/api.ts";
import { useTheme } from "../components/prefs/useTheme.ts";
import { ClipboardPanel } from "../components/vnc/ClipboardPanel.tsx";
import { CLIENT_ADDRESS } from "../components/vnc/remoteScreen.ts";
import { TouchHint } from "../components/vnc/TouchHint.tsx";
import { TouchKeyboard } from "../components/vnc/TouchKeyboard.tsx";
import { useClipboard } from "../components/vnc/useClipboard.ts";
import { useIdle } from "../components/vnc/useIdle.ts";
import { useVisibleHeight } from "../components/vnc/useVisibleHeight.ts";
import { useVnc } from "../components/vnc/useVnc.ts";
import { useVncPrefs } from "../components/vnc/useVncPrefs.ts";
import { VncBar } from "../components/vnc/VncBar.tsx";
import { VncMessage } from "../components/vnc/VncMessage.tsx";

interface VncScreenProps {
  id: string;
  name: string;
  /** Whether the remote screen is wider than high. */
  isWide: boolean;
}

/** A stream's browser, over the whole window, for a person to use. */
export function VncScreen({ id, name, isWide }: VncScreenProps) {
  useTheme();
  const { view, screen, frameLoaded } = useVnc(id);
  const [prefs, changePrefs] = useVncPrefs();
  const [isIdle, watch] = useIdle();
  const [address, setAddress] = useState("");
  const [isKeyboardOpen, setKeyboardOpen] = useState(false);
  const [isZoomed, setZoomed] = useState(false);
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState("");
  const clipboard = useClipboard(screen, setProblem);
  const root = useRef<HTMLElement>(null);
  const bar = useRef<HTMLElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const typing = useRef<HTMLTextAreaElement>(null);
  useVisibleHeight(root);
  const isConnected = view.phase === "connected";

  useEffect(() => setAddress(CLIENT_ADDRESS), []);
  useEffect(() => screen?.setViewOnly(prefs.viewOnly), [screen, prefs.viewOnly]);
  useEffect(() => {
    if (!screen) return;
    screen.onLeave = () => bar.current?.querySelector<HTMLElement>("a, button")?.focus();
    screen.onZoom = setZoomed;
  }, [screen]);
  useEffect(() => setStarting(false), [view.phase]);
  useEffect(() => {
    if (!isConnected) return clipboard.open(false);
    setProblem("");
    if (!bar.current?.contains(document.activeElement)) toRemote();
  }, [isConnected]);

  /** Sends the keys from now on to the remote page. */
  function toRemote() {
    frame.current?.focus();
    screen?.focus();
  }

  function loaded() {
    frameLoaded(frame.current!);
    watch(frame.current!.contentWindow!);
  }

  async function start() {
    if (isStarting) return;
    setStarting(true);
    setProblem("");
    try {
      await api.command(id, "start"); // the phase changes afterwards
    } catch (error) {
      setProblem(`Not started: ${problemOf(error)}`);
      setStarting(false);
    }
  }

  async function home() {
    toRemote();
    setProblem("");
    await api.home(id).catch((error) => setProblem(`Not done: ${problemOf(error)}`));
  }

  function toggleKeyboard() {
    if (isKeyboardOpen) toRemote();
    else typing.current!.focus();
  }

  function closeClipboard() {
    clipboard.open(false);
    toRemote();
  }

  return (
    <main id="main" class="vnc" ref={root} data-phase={view.phase}>
      <h1 class="hidden">{`${name}, remote browser`}</h1>
      <noscript>
        <p class="vnc-message">
          Using the stream's browser needs JavaScript. <a href="/">Show the streams</a>
        </p>
      </noscript>
      {address && (
        <iframe
          class="vnc-frame"
          title={`The browser of ${name}. Your keys go to it. Press F6 for the controls.`}
          src={address}
          ref={frame}
          onLoad={loaded}
        />
      )}
      <VncMessage id={id} view={view} isStarting={isStarting} problem={problem} onStart={start} />
      {isConnected && !isZoomed && <TouchHint isWide={isWide} isIdle={isIdle} />}
      <TouchKeyboard field={typing} screen={screen} onOpen={setKeyboardOpen} />
      <VncBar
        barRef={bar}
        name={name}
        phase={view.phase}
        prefs={prefs}
        isIdle={isIdle && !clipboard.isOpen}
        isClipboardOpen={clipboard.isOpen}
        isKeyboardOpen={isKeyboardOpen}
        onPrefs={(change) => {
          changePrefs(change);
          toRemote();
        }}
        onClipboard={() => clipboard.isOpen ? closeClipboard() : clipboard.open(true)}
        onKeyboard={toggleKeyboard}
        onHome={home}
        onLeave={toRemote}
      >
        {clipboard.isOpen && (
          <ClipboardPanel
            text={clipboard.text}
            mayPaste={isConnected && !prefs.viewOnly}
            onText={clipboard.setText}
            onPaste={() => {
              screen?.pasteNow(clipboard.text);
              closeClipboard();
            }}
            onClose={closeClipboard}
          />
        )}
        {isConnected && problem && <p class="vnc-problem problem" role="alert">{problem}</p>}
      </VncBar>
    </main>
  );
}
