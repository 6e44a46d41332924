import { useLayoutEffect, useRef } from "preact/hooks";
import type { NewAccessToken } from "../client/api.ts";
import { CopyField } from "../ui/CopyField.tsx";
import { QrCode } from "../ui/QrCode.tsx";
import { MediaServerFields } from "./MediaServerFields.tsx";

/** A new token's addresses, which are shown only once. */
export function CreatedAccess({ created: { name, playlist, tuner, guide } }: { created: NewAccessToken }) {
  const root = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    root.current!.scrollIntoView({ block: "nearest" });
    root.current!.querySelector<HTMLElement>("button")!.focus();
  }, []);
  return (
    <section class="created-access" ref={root} aria-labelledby="created-access-title">
      <h3 class="wrap" id="created-access-title">The address for “{name}”</h3>
      <p>
        <strong>This address is not shown again.</strong>{" "}
        Copy or scan it before you close this window. Anyone who has it can watch.
      </p>
      <CopyField
        id="access-address"
        label="Playlist address"
        text={playlist}
        hint="Paste it into the app, or scan it. It includes the programme guide."
      />
      <QrCode text={playlist} label={`QR code of the address for “${name}”`} />
      <p class="hint wrap">
        To type it: <code>{playlist}</code>
      </p>
      <MediaServerFields id="access" tuner={tuner} guide={guide} playlist={playlist} />
    </section>
  );
}
