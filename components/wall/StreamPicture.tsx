import { type WallStream, wallThumbnail } from "./wallStreams.ts";

/** A stream's last thumbnail; its name stands beside it. Nothing where there is no thumbnail. */
export function StreamPicture({ stream }: { stream: WallStream | undefined }) {
  const src = stream && wallThumbnail(stream);
  return src ? <img class={pictureClass(stream)} src={src} alt="" draggable={false} loading="lazy" /> : null;
}

function pictureClass({ isOn }: WallStream): string {
  return isOn ? "stream-picture" : "stream-picture is-off";
}
