import type { PublicStream } from "../../../lib/model/schema.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { StreamState } from "../../../lib/model/answers/status.ts";
import type { Role } from "../../../lib/role.ts";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { useBoardContext } from "../BoardContext.ts";
import { asksPlan, toggleOf } from "./toggle.ts";
import type { CardLinks } from "./cardLinks.ts";

/** The id of a card's menu, and of the button that opens it. */
export const MENU_ID = "card-menu";
export const menuButtonId = (id: string) => `more-${id}`;

interface CardActionsProps {
  stream: PublicStream;
  status: StreamStatus;
  links: CardLinks;
}

/** The most frequent actions on a stream, each as an icon over one word; the menu has the others. */
export function CardActions({ stream, status, links }: CardActionsProps) {
  const { board, menu, openMenu, openDialog } = useBoardContext();
  const { id, name } = stream;
  const toggle = toggleOf(status.state);
  const isAsked = asksPlan(stream, status);
  const act = () => isAsked ? openDialog({ kind: "plan", stream }) : board.run(stream, toggle);
  const isBusy = board.busy.value.has(id);
  const isMenuOpen = menu === id;
  return (
    <div class="card-actions" role="group" aria-label={`Actions for ${name}`}>
      <Action
        icon="play"
        word="Play"
        name={name}
        href={links.play}
        target={links.target}
        isPrimary={isWatchable(status.state)}
      />
      <Action
        icon="vnc"
        word="VNC"
        name={name}
        href={links.vnc}
        target={links.target}
        least="operator"
      />
      <button
        type="button"
        class="js action"
        data-least="operator"
        title={toggle === "start" ? "Start" : "Stop"}
        aria-label={`${toggle === "start" ? "Start" : "Stop"} ${name}`}
        aria-disabled={isBusy}
        aria-haspopup={isAsked ? "dialog" : undefined}
        onClick={() => isBusy || act()}
      >
        <Icon name={toggle} />
        <span class="caption">{toggle === "start" ? "Start" : "Stop"}</span>
      </button>
      <button
        type="button"
        class="js action more"
        id={menuButtonId(id)}
        title="More"
        aria-label={`More for ${name}`}
        aria-haspopup="menu"
        // a text: the server would leave a false out and write a true without its value
        aria-expanded={`${isMenuOpen}`}
        aria-controls={isMenuOpen ? MENU_ID : undefined}
        onClick={() => openMenu(id)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          openMenu(id);
        }}
      >
        <Icon name="more" />
        <span class="caption">More</span>
      </button>
    </div>
  );
}

interface ActionProps {
  icon: IconName;
  /** A word that fits below the icon. */
  word: string;
  name: string;
  href: string;
  target: CardLinks["target"];
  isPrimary?: boolean;
  /** The role that it takes. */
  least?: Role;
}

function Action({ icon, word, name, href, target, isPrimary, least }: ActionProps) {
  return (
    <a
      class={isPrimary ? "action primary" : "action"}
      href={href}
      data-least={least}
      title={word}
      aria-label={`${word}: ${name}`}
      {...target}
    >
      <Icon name={icon} />
      <span class="caption">{word}</span>
    </a>
  );
}

const isWatchable = (state: StreamState) => ["running", "degraded", "waiting"].includes(state);
