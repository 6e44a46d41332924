import { CopyField } from "../ui/CopyField.tsx";

interface MediaServerFieldsProps {
  /** Begins the fields' ids. */
  id: string;
  tuner: string;
  guide: string;
  playlist: string;
}

/** The addresses that Plex, Jellyfin, Emby and Channels DVR ask for. */
export function MediaServerFields({ id, tuner, guide, playlist }: MediaServerFieldsProps) {
  const transport = new URL(playlist);
  transport.searchParams.set("format", "ts");
  return (
    <>
      <CopyField
        id={`${id}-guide`}
        label="Programme guide (XMLTV)"
        text={guide}
        hint="For Plex, Jellyfin, Emby and Channels DVR. Other apps find it by the playlist."
      />
      <CopyField
        id={`${id}-tuner`}
        label="Tuner (HDHomeRun)"
        text={tuner}
        hint="For Plex, Jellyfin and Emby, with the guide above."
      />
      <CopyField
        id={`${id}-transport`}
        label="Playlist of MPEG-TS"
        text={transport.href}
        hint="For Channels DVR, with the guide above."
      />
    </>
  );
}
