const SHAPES = {
  logo: "M3 5.5h18v12H3zM8 21h8M10.2 8.8v5.4l4.6-2.7z",
  play: "M7 5v14l11-7z",
  html: "M8.5 7 3.5 12l5 5M15.5 7l5 5-5 5M13.3 4.5l-2.6 15",
  vnc: "M3 4.5h18v12H3zM8 20.5h8M9.5 8l6 2.3-2.6 1L12 14z",
  stop: "M6.5 6.5h11v11h-11z",
  start: "M12 3.5v8M7.2 6.3a7.5 7.5 0 1 0 9.6 0",
  turn: "M3.5 9h8v11.5h-8zM14.5 20.5h6v-8h-6M12.5 3.5a7 7 0 0 1 6 5.5M18.7 5v4h-4",
  more: "M5 12h.1M12 12h.1M19 12h.1",
  menu: "M4 7h16M4 12h16M4 17h16",
  grip: "M9 6h.1M15 6h.1M9 12h.1M15 12h.1M9 18h.1M15 18h.1",
  restart: "M19.5 5v4.5H15M19 9.3A7.6 7.6 0 1 0 19.6 13",
  recreate: "M12 3.5l1.7 4.8 4.8 1.7-4.8 1.7L12 16.5l-1.7-4.8L5.5 10l4.8-1.7zM18.5 15v5M16 17.5h5",
  edit: "M4.5 19.5h3.2L19 8.2 15.8 5 4.5 16.3zM13.6 7.2l3.2 3.2",
  duplicate: "M8.5 8.5h11v11h-11zM15.5 8.5v-4h-11v11h4",
  delete: "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10.3 10.5v5.5M13.7 10.5v5.5",
  thumbnail: "M3.5 5h17v14h-17zM3.5 16l5-5 4.5 4.5 2.5-2.5 5 5M15.5 9.5h.1",
  link:
    "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.3 1.3M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.3-1.3",
  external: "M13.5 4.5h6v6M19.5 4.5 11 13M17.5 13.5v6h-13v-13h6",
  log: "M5 6h14M5 10.5h9M5 15h12M5 19.5h6",
  top: "M5 4.5h14M12 20V8.5M6.5 14 12 8.5l5.5 5.5",
  up: "M12 19.5v-15M6 10.5l6-6 6 6",
  down: "M12 4.5v15M6 13.5l6 6 6-6",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8v4.4M9 14.8v4.4",
  tv: "M3 7.5h18v12H3zM7.5 3 12 7.5 16.5 3",
  wall: "M3.5 5h17v14h-17zM12 5v14M3.5 12h17",
  bell: "M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 2h-15zM10 21h4",
  backup: "M4.5 4.5h15V9h-15zM6 9v10.5h12V9M10 13h4",
  reload:
    "M4.5 12a7.5 7.5 0 0 1 13-5.1L19.5 9M19.5 4.5V9H15M19.5 12a7.5 7.5 0 0 1-13 5.1L4.5 15M4.5 19.5V15H9",
  add: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  back: "M14.5 5 7.5 12l7 7",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  check: "M5 12.5l4.5 4.5L19 7.5",
  eye:
    "M2.5 12S6 5.8 12 5.8 21.5 12 21.5 12 18 18.2 12 18.2 2.5 12 2.5 12zM12 9.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6z",
  clipboard: "M8.5 5.5h-3v15h13v-15h-3M8.5 3.5h7v4h-7zM8.5 12h7M8.5 16h5",
  keyboard: "M2.5 6.5h19v11h-19zM6 10h.1M10 10h.1M14 10h.1M18 10h.1M8 14h8",
  home: "M3.5 11.5 12 4l8.5 7.5M6 9.5V20h12V9.5M10 20v-5.5h4V20",
  info: "M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM12 11v5.2M12 7.6h.1",
  warning: "M12 4 2.8 19.8h18.4zM12 10v4.6M12 17.2h.1",
  error: "M8.4 3.5h7.2l4.9 4.9v7.2l-4.9 4.9H8.4l-4.9-4.9V8.4zM9.2 9.2l5.6 5.6M14.8 9.2l-5.6 5.6",
  logout: "M10 4.5H5v15h5M15.5 7.5 20 12l-4.5 4.5M20 12H9.5",
  person: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4.5 20a7.5 7.5 0 0 1 15 0",
  key: "M8 11a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10.8 12.2 19.5 3.5M15.5 7.5l3 3",
  close: "M6 6l12 12M18 6 6 18",
  group: "M3.5 6.5h6l2 2.5h9v9.5h-17zM12 12v4M10 14h4",
  bottom: "M5 19.5h14M12 4v11.5M6.5 10l5.5 5.5L17.5 10",
  move: "M8 4.5v15M4.5 8 8 4.5 11.5 8M16 19.5v-15M12.5 16l3.5 3.5 3.5-3.5",
  share: "M12 14.5v-11M7.5 8 12 3.5 16.5 8M6.5 11.5h-2v9h15v-9h-2",
  search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20 20",
  view: "M4 5h6v6H4zM14 5h6v6h-6zM4 15h16M4 19h16",
  chevron: "M9 5.5l6.5 6.5L9 18.5",
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
