const SHAPES = {
  logo: "M3 5.5h18v12H3zM8 21h8M10.2 8.8v5.4l4.6-2.7z",
  play: "M7 5v14l11-7z",
  stop: "M6.5 6.5h11v11h-11z",
  start: "M12 3.5v8M7.2 6.3a7.5 7.5 0 1 0 9.6 0",
  restart: "M19.5 5v4.5H15M19 9.3A7.6 7.6 0 1 0 19.6 13",
  edit: "M4.5 19.5h3.2L19 8.2 15.8 5 4.5 16.3zM13.6 7.2l3.2 3.2",
  delete: "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10.3 10.5v5.5M13.7 10.5v5.5",
  add: "M12 5v14M5 12h14",
  back: "M14.5 5 7.5 12l7 7",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  close: "M6 6l12 12M18 6 6 18",
} as const;

export type IconName = keyof typeof SHAPES;

/** A line drawing beside a text or inside a labelled button, so always hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} />
    </svg>
  );
}
