/**
 * The number of segments of a large index, in a simulation of a sixteenth of the size: the index alone, as a pod has it, with a
 * helper and checkpoints that do a given part of their work in the time of a transfer. It is killed again and again, or never.
 *
 *   node bench/engine/merges.ts [--millions=100] [--kill-every=MILLIONS] [--memory=1568] [--entries=120] [--bytes=600]
 *
 * `--memory`: the ledger's limit in MiB, that of a pod of 2 GiB by default; `--entries`: entries that the helper handles for a transfer; `--bytes`: bytes that a checkpoint writes in its time.
 */
import { parseArgs } from 'node:util';
import { PAGE_BYTES } from '../../engine/ledger/page.ts';
import { IndexDisk, IndexProcess } from '../../test/support/engine/ledger/index-process.ts';

const SCALE = 16;
const MILLION = 1e6 / SCALE;
const MIB = 2 ** 20 / SCALE;
/** Rows whose log makes a checkpoint due: 64 MiB of full requests. */
const CHECKPOINT_ROWS = (64 * 2 ** 20) / 128 / SCALE;
/** Bytes of a row that a checkpoint writes beside the index. */
const ROW_BYTES = 146;

const { values } = parseArgs({
  options: {
    millions: { type: 'string', default: '100' },
    'kill-every': { type: 'string', default: 'Infinity' },
    entries: { type: 'string', default: '120' },
    bytes: { type: 'string', default: '600' },
    memory: { type: 'string', default: '1568' },
  },
});
const memory = Number(values.memory);
/** What the limit leaves to the index and its merges, beside new rows, the cache of pages, and others. */
const room = (memory - Math.min(128, memory / 8) - memory / 16 - memory / 16) * MIB;
/** Bytes of the index above which segments leave memory: rows have the rest. */
const stayBytes = (memory / 4) * MIB;
const killEvery = Number(values['kill-every']) * MILLION;

const disk = new IndexDisk();
const sizes = {
  sealRows: 2 ** 18 / SCALE,
  chunkRows: 1024,
  pageBytes: PAGE_BYTES,
  deltaBytesMax: 128 * MIB,
};
const start = (): Promise<IndexProcess> =>
  IndexProcess.start({
    disk,
    sizes,
    // A byte of each transfer says whether it is pending.
    room: () => room - disk.rows.count,
    onDamage: (error) => {
      throw error;
    },
  });

let running = await start();
let checkpoint: { readonly end: () => void; readonly endRow: number } | undefined;
let [checkpointFrom, written] = [0, 0];

function advanceCheckpoint(): void {
  const { count } = disk.rows;
  if (checkpoint !== undefined) {
    if (count < checkpoint.endRow) return;
    checkpoint.end();
    checkpoint = undefined;
    running.dropTo(stayBytes);
  } else if (count - checkpointFrom >= CHECKPOINT_ROWS) {
    const { bytes, end } = running.checkpoint();
    const all = bytes + (count - checkpointFrom) * ROW_BYTES;
    written += bytes;
    checkpointFrom = count;
    checkpoint = { end, endRow: count + all / Number(values.bytes) };
  }
}

let [sum, most, samples, started] = [0, 0, 0, 0];
for (let row = 1; row <= Number(values.millions) * MILLION; row += 1) {
  running.add(disk.push());
  running.help(Number(values.entries));
  advanceCheckpoint();
  if (row % killEvery === 0) {
    checkpoint = undefined;
    checkpointFrom = row;
    running = await start();
    started = running.index.counts().segments;
  }
  if (row % 100 !== 0) continue;
  const { segments, streamedRows, streamedDone, givenUp } = running.index.counts();
  sum += segments;
  most = Math.max(most, segments);
  samples += 1;
  if (row % (10 * MILLION) !== 0) continue;
  const shown = running.index.segments.map(({ rows }) => (rows / MILLION).toFixed(1));
  console.log(
    `${row / MILLION} million: segments ${(sum / samples).toFixed(1)} (${most}), after the last start ${started} · merging ${(streamedDone / MILLION).toFixed(1)} of ${(streamedRows / MILLION).toFixed(1)} · given up ${givenUp} · ${disk.tables.size} tables, ${(disk.bytes / row).toFixed(0)} bytes a transfer, ${(written / row).toFixed(0)} written · ${shown.join(' ')}`,
  );
  [sum, most, samples] = [0, 0, 0];
}
