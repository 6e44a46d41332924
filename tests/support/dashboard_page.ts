import { strict as assert } from "node:assert";
import { same } from "./same.ts";
import type { Locator, Page } from "playwright-core";
import { takePicture } from "./pictures.ts";

/** The first page as a person uses it. */
export class DashboardPage {
  readonly #page: Page;
  readonly #url: string;

  constructor(page: Page, url: string) {
    this.#page = page;
    this.#url = url;
  }

  async open(): Promise<void> {
    await this.#page.goto(this.#url);
    await this.#page.locator("main[data-ready=true]").waitFor();
  }

  /** Makes the page poll now, as it does when the network is back: no test waits 3 s for what it has changed. */
  async poll(): Promise<void> {
    await this.#page.evaluate(() => dispatchEvent(new Event("online")));
  }

  card(name: string): Locator {
    return this.#page.locator("main .card").filter({
      has: this.#page.getByRole("heading", { name, exact: true }),
    });
  }

  /** A link or button on a card, such as "Play" or "Stop". */
  action(name: string, action: string): Locator {
    return this.card(name).getByLabel(new RegExp(`^${action}\\b`)).and(
      this.card(name).locator(".action"),
    );
  }

  /** The thumbnail on a card; while a newer one is loaded, the one that is shown. */
  thumbnail(name: string): Locator {
    return this.card(name).getByRole("img", { name: new RegExp(`of ${name}$`) });
  }

  /** The names on the cards, in order. The card that flies with the pointer is not among them. */
  names(): Promise<string[]> {
    return this.#page.locator("main .card h2").allTextContents();
  }

  /** Waits until the cards are in this order. */
  async untilOrder(names: string[]): Promise<void> {
    await this.#page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll("main .card h2")].map((it) => it.textContent).join("|") === wanted,
      names.join("|"),
    );
  }

  menuItem(item: string): Locator {
    return this.#page.getByRole("menu").locator("[role^=menuitem]", { hasText: item });
  }

  async openMenu(name: string): Promise<void> {
    await this.action(name, "More for").click();
    await this.#page.getByRole("menu").waitFor();
  }

  /** Chooses from a card's menu; where a card can go is a menu of its own. */
  async choose(name: string, item: string): Promise<void> {
    await this.openMenu(name);
    if (item.startsWith("Move ")) await this.menuItem("Move…").click();
    await this.menuItem(item).click();
  }

  /** Chooses from the page's menu. */
  async choosePage(item: string): Promise<void> {
    await this.#page.getByRole("button", { name: "Menu", exact: true }).click();
    await this.menuItem(item).click();
  }

  /** Opens what a card's Share has: its addresses, and what its buttons open. */
  async share(name: string): Promise<Locator> {
    await this.choose(name, "Share");
    const dialog = this.dialog(`Share “${name}”`);
    await dialog.waitFor();
    return dialog;
  }

  dialog(name: string): Locator {
    return this.#page.getByRole("dialog", { name });
  }

  async chooseSize(word: string): Promise<void> {
    await this.#page.getByRole("button", { name: "View", exact: true }).click();
    await this.#page.getByRole("menuitemradio", { name: word }).click();
    await this.#page.keyboard.press("Escape");
  }

  /** What the page says aloud. */
  async untilAnnounced(text: string): Promise<void> {
    await this.#page.locator("[role=status]", { hasText: text }).first().waitFor({ state: "attached" });
  }

  /** Waits for a state's word on a card. */
  async untilState(name: string, state: string): Promise<void> {
    const chips = this.card(name).locator(".chip");
    await same(async () => {
      const words = await chips.allTextContents();
      return words.includes(state) ? state : words;
    }, state);
  }

  /** Presses Tab until a control with this name has the focus. */
  async tabTo(name: string): Promise<void> {
    for (let presses = 0; presses < 60; presses++) {
      await this.#page.keyboard.press("Tab");
      const focused = await this.#page.evaluate(() => {
        const element = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLLabelElement> };
        const text = element.ariaLabel ?? (element.labels?.[0] ?? element).textContent!;
        return text.replace(/\s+/g, " ").trim();
      });
      if (focused === name) return;
    }
    assert.fail(`"${name}" cannot be reached with the Tab key`);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.press("ControlOrMeta+a");
    await this.#page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    await this.#page.keyboard.press(key);
  }

  field(label: string): Locator {
    return this.#page.getByRole("dialog").getByLabel(label, { exact: true });
  }

  /** The problem shown at a field: its text and how it looks. */
  async problemAt(label: string): Promise<{ text: string; weight: number; rgb: number[] }> {
    const field = this.field(label);
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    const described = (await field.getAttribute("aria-describedby"))!.split(" ")[0];
    return await this.#page.locator(`#${described}`).evaluate((element) => {
      const { fontWeight, color } = getComputedStyle(element);
      return {
        text: element.textContent!,
        weight: Number(fontWeight),
        rgb: color.match(/\d+/g)!.map(Number),
      };
    });
  }

  /** Whether this element has the focus. */
  isFocused(element: Locator): Promise<boolean> {
    return element.evaluate((it) => it === document.activeElement);
  }

  focusedText(): Promise<string> {
    return this.#page.evaluate(() => document.activeElement?.textContent ?? "");
  }

  /** How far the page can be scrolled to the right, in pixels. */
  overflow(): Promise<number> {
    return this.#page.evaluate(() => {
      scrollTo(10_000, scrollY);
      return scrollX;
    });
  }

  /** Controls of the cards that stick out of their card or lie over each other. */
  spills(): Promise<string[]> {
    return this.#page.evaluate(() =>
      [...document.querySelectorAll(".card")].flatMap((card) => {
        const frame = card.getBoundingClientRect();
        const parts = [...card.querySelectorAll(".action, h2, .chip, .remedies > *")];
        const seen = parts.filter((element) => element.getClientRects().length > 0);
        const boxes = seen.map((element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect();
          return {
            name: element.getAttribute("aria-label") ?? element.textContent!,
            left,
            right,
            top,
            bottom,
          };
        });
        const isOutside = (box: (typeof boxes)[number]) =>
          box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
          box.bottom > frame.bottom + 1;
        const isOver = (one: (typeof boxes)[number], other: (typeof boxes)[number]) =>
          one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 &&
          other.top < one.bottom - 1;
        return [
          ...boxes.filter(isOutside).map(({ name }) => `${name} is outside`),
          ...boxes.flatMap((one, at) =>
            boxes.slice(at + 1).filter((other) => isOver(one, other)).map(({ name }) =>
              `${one.name} is over ${name}`
            )
          ),
        ];
      })
    );
  }

  /** Cards that need no scrolling. */
  wholeCards(): Promise<number> {
    return this.#page.evaluate(() =>
      [...document.querySelectorAll(".card")].filter((card) =>
        card.getBoundingClientRect().bottom <= innerHeight
      ).length
    );
  }

  async screenshot(name: string): Promise<void> {
    await takePicture(this.#page, name);
  }
}
