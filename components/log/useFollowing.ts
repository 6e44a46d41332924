import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** A scroll position this near the end counts as the end, in CSS pixels. */
const END_PX = 24;

/**
 * Keeps the end of a growing region in sight until the reader scrolls up, and again once the reader is back at the end.
 * `count` is the number of lines ever added; `unseen` is the number of lines that came while the reader was elsewhere.
 */
export function useFollowing(count: number, content: unknown) {
  const region = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const [seen, setSeen] = useState(count);

  useLayoutEffect(() => {
    const { current } = region;
    if (current && isFollowing) current.scrollTop = current.scrollHeight;
  }, [content, isFollowing]);

  function follow(isWanted: boolean) {
    setSeen(count);
    setFollowing(isWanted);
  }

  function scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = region.current!;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < END_PX;
    if (isAtEnd !== isFollowing) follow(isAtEnd);
  }

  return { region, isFollowing, unseen: isFollowing ? 0 : Math.max(0, count - seen), follow, scrolled };
}
