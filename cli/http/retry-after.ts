/** Retry-After (RFC 9110, 10.2.3), seconds or a date, as milliseconds from now; undefined when there is none or it is neither. */
export function retryAfterMs(value: string | null, wallMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - wallMs);
}
