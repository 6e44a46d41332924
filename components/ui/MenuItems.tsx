import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon.tsx";

interface ItemProps {
  icon?: IconName;
  children: ComponentChildren;
}

/** A group of items. */
export function MenuGroup({ label, children }: { label: string; children: ComponentChildren }) {
  return <div class="menu-group" role="group" aria-label={label}>{children}</div>;
}

interface MenuItemProps extends ItemProps {
  isDangerous?: boolean;
  disabled?: boolean;
  onChoose: () => void;
}

export function MenuItem({ icon, isDangerous, disabled, onChoose, children }: MenuItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      class={isDangerous ? "menu-item is-dangerous" : "menu-item"}
      aria-disabled={disabled || undefined}
      onClick={() => disabled || onChoose()}
    >
      {icon ? <Icon name={icon} /> : <span class="icon" />}
      <span>{children}</span>
    </button>
  );
}

interface MenuCheckProps extends ItemProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** An item that is on or off; the menu stays open and shows its state. */
export function MenuCheck({ isOn, onChange, children }: MenuCheckProps) {
  return (
    <button
      type="button"
      role="menuitemcheckbox"
      aria-checked={isOn}
      tabIndex={-1}
      class="menu-item"
      onClick={() => onChange(!isOn)}
    >
      <span class="tick">{isOn && <Icon name="check" />}</span>
      <span>{children}</span>
    </button>
  );
}

interface MenuRadioProps extends ItemProps {
  isOn: boolean;
  onChoose: () => void;
}

/** An item of a choice among a few; the menu stays open and shows the chosen item. */
export function MenuRadio({ isOn, onChoose, children }: MenuRadioProps) {
  return (
    <button
      type="button"
      role="menuitemradio"
      aria-checked={isOn}
      tabIndex={-1}
      class="menu-item"
      onClick={onChoose}
    >
      <span class="dot" />
      <span>{children}</span>
    </button>
  );
}

interface MenuLinkProps extends ItemProps {
  href: string;
  target?: string;
  rel?: string;
  onChoose: () => void;
}

export function MenuLink({ icon, onChoose, children, ...link }: MenuLinkProps) {
  return (
    <a role="menuitem" tabIndex={-1} class="menu-item" {...link} onClick={onChoose}>
      {icon ? <Icon name={icon} /> : <span class="icon" />}
      <span>{children}</span>
    </a>
  );
}
