/** Programme guides as epg-parser reads them, which leaves entities as they are written. */
import epg from "epg-parser";

interface Text {
  value: string;
}

export interface Guide {
  channels: { id: string; displayName: Text[]; icon: { src: string }[] }[];
  programs: {
    channel: string;
    /** As ISO 8601 in UTC. */
    start: string;
    stop: string;
    title: Text[];
    desc: Text[];
    category: Text[];
    icon: { src: string }[];
  }[];
}

/** Reads a guide. @throws {Error} when it is no XML. */
export function parseGuide(xml: string): Guide {
  // the package has no types
  return epg.parse(xml) as unknown as Guide;
}
