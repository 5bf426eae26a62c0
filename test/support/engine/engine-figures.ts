/** What an engine's `/metrics` say of its memory and its data file, in a line for people. */
export function shownFigures(metrics: string, transfers: number): string {
  const value = (name: string): number =>
    Number(new RegExp(`^ledgerhouse_engine_${name} (.*)$`, 'm').exec(metrics)?.[1]);
  const mib = (name: string): string => (value(name) / 2 ** 20).toFixed(0);
  const perTransfer = (value('storage_used_bytes') / transfers).toFixed(0);
  return `resident ${mib('resident_memory_bytes')} MiB · ledger ${mib('memory_used_bytes')} MiB · file ${mib('storage_used_bytes')} MiB, ${perTransfer} bytes a transfer · segments ${value('index_segments')} · in memory ${value('transfers_in_memory')} · pages read ${value('pages_read_total')}`;
}
