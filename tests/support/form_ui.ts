/** Tests of the form that begin on the dashboard. */
import { DashboardPage } from "./dashboard_page.ts";
import { FormPage } from "./form_page.ts";
import { type UiOptions, type UiTest, uiTest } from "./ui.ts";

export interface FormTest extends UiTest {
  dashboard: DashboardPage;
  form: FormPage;
}

export const LOBBY = { name: "Lobby", group: "Reception" };

/** A test that begins on the dashboard, with the stopped stream "Lobby". */
export function formTest(name: string, test: (ui: FormTest) => Promise<void>, options: UiOptions = {}): void {
  uiTest(name, async (ui) => {
    const dashboard = new DashboardPage(ui.page, ui.url);
    await dashboard.open();
    await test({ ...ui, dashboard, form: new FormPage(ui.page, dashboard) });
  }, { streams: [LOBBY], ...options });
}
