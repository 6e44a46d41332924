/** A person at a page, whose actions are counted: what is clicked, each key, and each text that is pasted. */
import type { Locator, Page } from "playwright-core";

export class Person {
  readonly #page: Page;
  #actions = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  get actions(): number {
    return this.#actions;
  }

  async click(at: Locator): Promise<void> {
    this.#actions++;
    await at.click();
  }

  async press(key: string): Promise<void> {
    this.#actions++;
    await this.#page.keyboard.press(key);
  }

  /** Pastes where the focus is. */
  async paste(text: string): Promise<void> {
    this.#actions++;
    await this.#page.keyboard.insertText(text);
  }
}
