/** The figures of the service and its machine, as the API and the dashboard's footer show them. */
import type { Cost, SystemFigures } from "./shapes.ts";

const UNITS = [["TB", 1e12], ["GB", 1e9]] as const;

/** "0.8", "12", "412": more digits say no more. */
function sizeText(bytes: number): { size: string; unit: string } {
  const [unit, one] = UNITS.find(([, one]) => bytes >= 0.9995 * one) ?? UNITS[1];
  const size = bytes / one;
  return { size: size < 9.95 ? size.toFixed(1) : String(Math.round(size)), unit };
}

/** "3.1 of 8.2 GB", "500 GB of 1.0 TB" */
function partText(bytes: number, allBytes: number): string {
  const [part, all] = [sizeText(bytes), sizeText(allBytes)];
  return `${part.size}${part.unit === all.unit ? "" : ` ${part.unit}`} of ${all.size} ${all.unit}`;
}

/** "3.1 of 8.2 GB": the used memory. */
export function memoryText({ totalBytes, availableBytes }: SystemFigures["memory"]): string {
  return partText(totalBytes - availableBytes, totalBytes);
}

/** "412 of 500 GB free" */
export function diskText({ totalBytes, freeBytes }: SystemFigures["disks"][number]): string {
  return `${partText(freeBytes, totalBytes)} free`;
}

/** "0.34 of 2 cores, 0.4 GB"; empty while nothing is measured. */
export function totalText({ cpuPercent, mebibytes }: Cost, cores: number): string {
  const { size, unit } = sizeText((mebibytes ?? 0) * 1024 * 1024);
  const parts = [
    ...(cpuPercent === null ? [] : [`${(cpuPercent / 100).toFixed(2)} of ${coresText(cores)}`]),
    ...(mebibytes === null ? [] : [`${size} ${unit}`]),
  ];
  return parts.join(", ");
}

export function coresText(cores: number): string {
  return cores === 1 ? "1 core" : `${cores} cores`;
}

/** "5 min", "3 h", "12 days" */
export function uptimeText(seconds: number): string {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
