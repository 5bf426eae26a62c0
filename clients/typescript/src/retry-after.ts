/**
 * Converts Retry-After (RFC 9110, 10.2.3), seconds or a date, to milliseconds from now. Returns `undefined` if absent or invalid.
 */
export function retryAfterMs(value: string | null, wallMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  // Only the preferred form of HTTP dates: Date.parse accepts almost anything.
  const date = /^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - wallMs);
}
