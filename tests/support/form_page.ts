/** The stream form as a person uses it. */
import type { Locator, Page } from "playwright-core";
import type { DashboardPage } from "./dashboard_page.ts";

export class FormPage {
  readonly page: Page;
  readonly #dashboard: DashboardPage;

  constructor(page: Page, dashboard: DashboardPage) {
    this.page = page;
    this.#dashboard = dashboard;
  }

  get dialog(): Locator {
    return this.page.locator("dialog#add, dialog#edit");
  }

  get question(): Locator {
    return this.page.getByRole("alertdialog", { name: "Discard your changes?" });
  }

  get conflict(): Locator {
    return this.page.getByRole("group", { name: /Someone else saved/ });
  }

  get notice(): Locator {
    return this.dialog.locator(".restart-preview");
  }

  async add(): Promise<void> {
    await this.page.getByRole("button", { name: /^Add/ }).first().click();
    await this.dialog.waitFor();
  }

  async edit(name: string): Promise<void> {
    await this.#choose(name, "Edit");
  }

  async duplicate(name: string): Promise<void> {
    await this.#choose(name, "Duplicate");
  }

  async #choose(name: string, item: string): Promise<void> {
    // scrolling closes menus, so it comes before
    await this.#dashboard.card(name).evaluate((card) => card.scrollIntoView({ block: "center" }));
    await painted(this.page);
    await this.#dashboard.choose(name, item);
    await this.dialog.waitFor();
  }

  field(label: string): Locator {
    return this.dialog.getByLabel(label, { exact: true });
  }

  button(name: string): Locator {
    return this.dialog.getByRole("button", { name, exact: true });
  }

  /** Opens a closed section, or closes it again. */
  async unfold(section = "Encoder"): Promise<void> {
    await this.dialog.locator("summary", { hasText: section }).click();
  }

  async gone(): Promise<void> {
    await this.dialog.waitFor({ state: "detached" });
  }

  /** Whether the field with this label has the focus. */
  hasFocus(label: string): Promise<boolean> {
    return this.field(label).evaluate((field) => field === document.activeElement);
  }

  /** Saves and waits until the form is gone. */
  async save(): Promise<void> {
    await this.button("Save").click();
    await this.gone();
  }
}

/** Waits until what was done so far is painted, and its events are over. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(() =>
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))
  );
}
