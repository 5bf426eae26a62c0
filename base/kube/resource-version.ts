/**
 * Resource versions are numbers that grow with each write to the cluster's store (KEP-5504 makes that a promise). Compared
 * as text, since they may outgrow what a double holds.
 */
export function isOlder(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
