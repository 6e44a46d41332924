import { cardLinks } from "../board/card/cardLinks.ts";
import type { CardPrefs } from "../prefs/prefs.ts";
import type { Prefs } from "../prefs/usePrefs.ts";
import { CheckLine } from "../ui/CheckLine.tsx";
import { Icon } from "../ui/Icon.tsx";

/** The addresses of Play Stream and Run HTML on one card, and the settings that change them. */
export function CardButtons({ id, prefs }: { id: string; prefs: Prefs }) {
  const { pureMode, openNewTab } = prefs.of(id);
  const { play, html, target } = cardLinks(id, { pureMode, openNewTab });
  const set = (change: CardPrefs) => prefs.setCard(id, change);
  return (
    <fieldset class="lines card-buttons">
      <legend>Buttons of this card</legend>
      <p class="button-line">
        <a class="button" href={play} {...target}>
          <Icon name="play" />Play Stream
        </a>
        <span class="wrap">
          {pureMode ? "opens the HLS feed" : "opens the player"}: <code>{play}</code>
        </span>
      </p>
      <p class="button-line">
        <a class="button" href={html} {...target}>
          <Icon name="html" />Run HTML
        </a>
        <span class="wrap">
          {pureMode ? "opens the minimal player" : "opens the TV player"}: <code>{html}</code>
        </span>
      </p>
      <CheckLine
        of="share"
        name="pureMode"
        label="Pure mode"
        hint="“Play Stream” (“Play” on the card) opens the HLS feed (.m3u8). “Run HTML” opens the minimal player."
        isOn={pureMode}
        onChange={(pureMode) => set({ pureMode })}
      />
      <CheckLine
        of="share"
        name="openNewTab"
        label="Open in new tab"
        hint="Every link of this card."
        isOn={openNewTab}
        onChange={(openNewTab) => set({ openNewTab })}
      />
    </fieldset>
  );
}
