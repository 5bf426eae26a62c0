/**
 * The service's time. The clock of a browser's machine may be wrong by hours; times such as “3 minutes ago” and spans such as the last
 * hour are of the service.
 */

/** Milliseconds that the service is ahead of this machine. */
let aheadMs = 0;

/** Answers name whole seconds, and are some time on their way. */
const exactEnoughMs = 30_000;

/** Reads the header Date of an answer that has just arrived. */
export function noteServerDate(header: string | null, arrivedMs = Date.now()): void {
  const serverMs = Date.parse(header ?? '');
  if (Number.isNaN(serverMs)) return;
  const ahead = serverMs - arrivedMs;
  aheadMs = Math.abs(ahead) < exactEnoughMs ? 0 : ahead;
}

export const serverNow = (): Date => new Date(Date.now() + aheadMs);
