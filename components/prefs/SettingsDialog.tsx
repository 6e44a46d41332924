import { useState } from "preact/hooks";
import { CheckLine } from "../ui/CheckLine.tsx";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import { Segments } from "../ui/Segments.tsx";
import { CARD_SIZE_WORDS } from "./cardSize.ts";
import { MAX_RELOAD_MINUTES } from "./prefs.ts";
import type { Prefs } from "./usePrefs.ts";

const THEME_WORDS = { auto: "As the system", light: "Light", dark: "Dark" } as const;

/** The general settings of this browser. Each change holds at once. */
export function SettingsDialog({ prefs, onClose }: { prefs: Prefs; onClose: () => void }) {
  const { general, setGeneral } = prefs;
  return (
    <Dialog id="settings" title="Settings" onClose={onClose}>
      <div class="dialog-body">
        <Segments
          name="settings-theme"
          label="Theme"
          options={THEME_WORDS}
          value={general.theme}
          onChange={(theme) => setGeneral({ theme })}
        />
        <Segments
          name="settings-size"
          label="Card size"
          options={CARD_SIZE_WORDS}
          value={general.cardSize}
          onChange={(cardSize) => setGeneral({ cardSize })}
        />
        <fieldset class="lines">
          <legend>Links on the cards, unless a card's Share dialog says otherwise</legend>
          <CheckLine
            of="settings"
            name="pureMode"
            label="Pure mode"
            hint="A card's “Play” (Play Stream) opens the HLS feed (.m3u8) instead of the player. “Run HTML” in the Share dialog opens the minimal player."
            isOn={general.pureMode}
            onChange={(pureMode) => setGeneral({ pureMode })}
          />
          <CheckLine
            of="settings"
            name="openNewTab"
            label="Open in new tab"
            isOn={general.openNewTab}
            onChange={(openNewTab) => setGeneral({ openNewTab })}
          />
        </fieldset>
        <fieldset class="lines">
          <legend>Player page</legend>
          <CheckLine
            of="settings"
            name="reloadClient"
            label="Reload the page regularly, for screens that play for weeks"
            isOn={general.reloadClient}
            onChange={(reloadClient) => setGeneral({ reloadClient })}
          />
          <ReloadTime
            minutes={general.reloadClientTime}
            onChange={(reloadClientTime) => setGeneral({ reloadClientTime })}
          />
        </fieldset>
        <p class="hint">These settings are saved in this browser at once.</p>
      </div>
      <div class="dialog-actions">
        <button type="button" class="quiet aside" onClick={prefs.reset}>Use the defaults</button>
        <button type="button" class="primary" onClick={closeDialog}>Done</button>
      </div>
    </Dialog>
  );
}

/** Keeps the typed text; only a valid number is stored. */
function ReloadTime({ minutes, onChange }: { minutes: number; onChange: (minutes: number) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const isGood = (text: string) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_RELOAD_MINUTES;
  const isBad = typed !== null && !isGood(typed);
  return (
    <div class="field">
      <label for="settings-time">Minutes between reloads</label>
      <input
        id="settings-time"
        type="text"
        inputMode="numeric"
        autocomplete="off"
        value={typed ?? minutes}
        aria-invalid={isBad || undefined}
        aria-describedby={isBad ? "settings-time-problem" : undefined}
        onInput={(event) => {
          const text = event.currentTarget.value.trim();
          setTyped(text);
          if (isGood(text)) onChange(Number(text));
        }}
        onBlur={() => isBad || setTyped(null)}
      />
      <p class="problem" id="settings-time-problem" role="alert">
        {isBad ? `A whole number from 1 to ${MAX_RELOAD_MINUTES} is needed, such as 60.` : ""}
      </p>
    </div>
  );
}
