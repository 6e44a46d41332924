import { useEffect, useState } from "preact/hooks";
import type { Bitmap2D } from "lean-qr";

/** Light modules around the code that scanners need (ISO/IEC 18004). */
const MARGIN = 4;

/** A text as a QR code, black on white in every theme. The encoder is fetched when the first code is shown. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<Bitmap2D | "failed" | null>(null);
  useEffect(() => {
    let isOver = false;
    import("lean-qr").then(({ generate }) => generate(text)).then(
      (made) => isOver || setCode(made),
      () => isOver || setCode("failed"),
    );
    return () => void (isOver = true);
  }, [text]);

  if (code === "failed") return <p class="qr hint">The QR code could not be loaded.</p>;
  if (!code) return <div class="qr" />;
  const side = code.size + 2 * MARGIN;
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={darkModules(code)} fill="#000" />
    </svg>
  );
}

/** One rectangle for each run of dark modules in a row. */
function darkModules(code: Bitmap2D): string {
  let path = "";
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      const from = x;
      while (code.get(x, y)) x++;
      if (x > from) path += `M${from + MARGIN} ${y + MARGIN}h${x - from}v1h${from - x}z`;
    }
  }
  return path;
}
