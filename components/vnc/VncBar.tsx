import type { ComponentChildren, Ref } from "preact";
import { Icon, type IconName } from "../ui/Icon.tsx";
import type { Phase } from "./session.ts";
import type { VncPrefs } from "./vncPrefs.ts";

const WORDS: Record<Phase, string> = {
  connecting: "Connecting…",
  connected: "Full control",
  waiting: "Reconnecting…",
  refused: "Refused",
  stopped: "Stopped",
  planned: "Off the air",
  gone: "Deleted",
  offline: "No connection",
  loggedOut: "Logged out",
  signedOut: "Signed out",
};

interface VncBarProps {
  barRef: Ref<HTMLElement>;
  name: string;
  phase: Phase;
  prefs: VncPrefs;
  isIdle: boolean;
  isClipboardOpen: boolean;
  isKeyboardOpen: boolean;
  onPrefs: (change: Partial<VncPrefs>) => void;
  onClipboard: () => void;
  onKeyboard: () => void;
  onHome: () => void;
  onLeave: () => void;
  children?: ComponentChildren;
}

/** The way back and the few controls, over an edge of the remote page; the bar hides while the viewer is idle. */
export function VncBar(props: VncBarProps) {
  const { name, phase, prefs, isIdle, onPrefs, onLeave } = props;
  const isConnected = phase === "connected";
  const word = isConnected && prefs.viewOnly ? "View only" : WORDS[phase];
  return (
    <header
      class="vnc-bar"
      ref={props.barRef}
      data-idle={isIdle}
      // a text: the server would write a true without its value
      data-low={`${prefs.isBarLow}`}
      onKeyDown={(event) => {
        if (event.key !== "F6" && event.key !== "Escape") return;
        event.preventDefault();
        onLeave();
      }}
    >
      <div class="vnc-tools">
        <a class="button quiet vnc-back" href="/">
          <Icon name="back" />Back
        </a>
        <p class="vnc-title">
          <strong>{name}</strong>
          <span role="status" data-phase={phase}>{word}</span>
        </p>
        <Tool
          icon="eye"
          label="View only"
          hint="Watch only: your keys and clicks are not sent"
          isOn={prefs.viewOnly}
          onClick={() => onPrefs({ viewOnly: !prefs.viewOnly })}
        />
        <Tool
          icon="clipboard"
          label="Clipboard"
          isOn={props.isClipboardOpen}
          isOff={!isConnected}
          onClick={props.onClipboard}
        />
        <Tool
          icon="keyboard"
          label="Keyboard"
          class="vnc-touch"
          isOn={props.isKeyboardOpen}
          isOff={!isConnected || prefs.viewOnly}
          onClick={props.onKeyboard}
        />
        <Tool
          icon="home"
          label="Home"
          hint="Back to the stream's own page"
          isOff={!isConnected || prefs.viewOnly}
          onClick={props.onHome}
        />
        <Tool
          icon={prefs.isBarLow ? "up" : "down"}
          class="vnc-edge"
          label={prefs.isBarLow ? "Move this bar up" : "Move this bar down"}
          onClick={() => onPrefs({ isBarLow: !prefs.isBarLow })}
        />
      </div>
      {props.children}
    </header>
  );
}

interface ToolProps {
  icon: IconName;
  label: string;
  hint?: string;
  class?: string;
  /** The state of a button that is on or off. */
  isOn?: boolean;
  /** Whether the button cannot be used now. */
  isOff?: boolean;
  onClick: () => void;
}

function Tool({ icon, label, hint, class: name, isOn, isOff, onClick }: ToolProps) {
  return (
    <button
      type="button"
      class={`quiet square js ${name ?? ""}`}
      title={hint ? `${label}: ${hint}` : label}
      aria-pressed={isOn === undefined ? undefined : `${isOn}`}
      aria-disabled={isOff}
      // a phone's keyboard stays open when its field keeps the focus
      onPointerDown={(event) => icon === "keyboard" && event.preventDefault()}
      onMouseDown={(event) => icon === "keyboard" && event.preventDefault()}
      onClick={() => isOff || onClick()}
    >
      <Icon name={icon} />
      <span class="hidden">{label}</span>
    </button>
  );
}
