/**
 * Counts the bytes that tables and indexes have allocated. Every allocation that lives as long as the state goes
 * through `allocate`, so that the figure is exact and not an estimate from row counts.
 */
export class Memory {
  usedBytes = 0;

  allocate(bytes: number): void {
    this.usedBytes += bytes;
  }

  free(bytes: number): void {
    this.usedBytes -= bytes;
  }
}
