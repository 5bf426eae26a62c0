/**
 * Compares resource versions, which are numbers that grow with each write to the cluster's store (KEP-5504 promises that).
 * They are compared as text, since they may exceed a double's precision.
 */
export function isOlder(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
