import { asset } from "fresh/runtime";
import { THEME_COLOURS } from "../components/prefs/theme.ts";
import { define } from "../lib/app.ts";
import { FIRST_PAINT_SCRIPT } from "../lib/door/inline_script.ts";

/** The id of the page's last element. */
const PAGE_END = "page-end";

export default define.page(function App({ Component, state }) {
  return (
    <html lang="en" data-role={state.admitted?.role}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content={THEME_COLOURS.dark} media="(prefers-color-scheme: dark)" />
        <meta name="theme-color" content={THEME_COLOURS.light} media="(prefers-color-scheme: light)" />
        {/* before the style sheet: a later script would have to wait for it */}
        <script dangerouslySetInnerHTML={{ __html: FIRST_PAINT_SCRIPT }} />
        <link rel="stylesheet" href={asset("/styles.css")} />
        {/* the browser paints no half page: later parts would move it. Preact's types lack `blocking` */}
        <link rel="expect" href={`#${PAGE_END}`} {...{ blocking: "render" }} />
        <link rel="icon" href={asset("/icon.svg")} type="image/svg+xml" />
        <link rel="apple-touch-icon" href={asset("/icon-192.png")} />
        <link rel="manifest" href={asset("/manifest.webmanifest")} />
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <Component />
        <span id={PAGE_END} hidden />
      </body>
    </html>
  );
});
