/** A part of the page that comes later, or a simpler one where it cannot be loaded: the page itself is there, and stays. */
export const orElse = <T>(load: () => Promise<T>, simpler: T): Promise<T> =>
  load().catch(() => simpler);
