/** Machines that set their clocks differ by less. */
const CLOCKS_MS = 3_600_000;

/** Whether a time on record is one that has not been: the clock that it was taken from was wrong, and nothing waits for it. */
export const isAhead = (timeMs: number, nowMs: number): boolean => timeMs - nowMs > CLOCKS_MS;
