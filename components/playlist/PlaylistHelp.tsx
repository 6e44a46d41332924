/** The place of the addresses in common apps. */
const STEPS: [app: string, steps: string][] = [
  ["VLC", "Media › Open Network Stream, paste the playlist address. On a phone: More › New stream."],
  ["TiviMate", "Settings › Playlists › Add playlist › M3U playlist › Enter URL."],
  [
    "Kodi",
    "Add-ons › PVR IPTV Simple Client › Configure › Add: as “M3U playlist URL”; the guide is “XMLTV URL” under EPG.",
  ],
  [
    "Plex",
    "Settings › Live TV & DVR › Set Up Plex DVR: the tuner; then “Have an XMLTV guide on your server?”: the guide.",
  ],
  [
    "Jellyfin",
    "Dashboard › Live TV › Tuner Devices › +: “HD Homerun” and the tuner; TV Guide Data Providers › +: “XMLTV” and the guide.",
  ],
  [
    "Emby",
    "Live TV › Add TV Source: “HD HomeRun” and the tuner; Add Guide Data Source: “Xml TV” and the guide.",
  ],
  [
    "Channels DVR",
    "Settings › Add Source › Custom Channels: “MPEG-TS” and the playlist of MPEG-TS; Set Provider › XMLTV › Custom URL: the guide.",
  ],
];

export function PlaylistHelp() {
  return (
    <details>
      <summary>How to add it to VLC, Kodi, Plex, Jellyfin and others</summary>
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
