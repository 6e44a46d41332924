/** The place of the addresses in common apps. */
const STEPS: [app: string, steps: string][] = [
  ["VLC", "Media › Open Network Stream, paste the playlist address. On a phone: More › New stream."],
  ["TiviMate", "Settings › Playlists › Add playlist › M3U playlist › Enter URL."],
  [
    "Kodi",
    "Add-ons › PVR IPTV Simple Client › Configure › Add: as “M3U playlist URL”; the guide is “XMLTV URL” under EPG.",
  ],
  [
    "Jellyfin",
    "Dashboard › Live TV: add a tuner device “M3U Tuner”, then a guide provider “XMLTV” with the guide's address.",
  ],
  [
    "Plex, Emby, Channels DVR",
    "They take the tuner's address as that of an HDHomeRun device, and the guide's as XMLTV.",
  ],
];

export function PlaylistHelp() {
  return (
    <details>
      <summary>How to add it to VLC, TiviMate, Kodi, Jellyfin or Plex</summary>
      <dl class="details-body steps">
        {STEPS.map(([app, steps]) => (
          <div key={app}>
            <dt>{app}</dt>
            <dd>{steps}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
