/**
 * Sealed segments that wait for the store, as files in a folder beside the engine, and the archive's end as this archiver knows
 * it. It outlives the archiver's process, and not its pod: what it lacks then is still in the engine's log.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Chain } from '../archive/log-chains.ts';

/** How a segment begins a chain; `undefined`: it continues one. */
type Begins = Chain['follows'] | undefined;

export interface SpooledSegment {
  readonly firstOp: number;
  readonly begins: Begins;
  readonly object: Uint8Array;
}

const endSchema = z.object({
  databaseId: z.string(),
  line: z.number().int(),
  /** First op of the last segment, its last op, and that op's timestamp. */
  firstOp: z.number().int(),
  lastOp: z.number().int(),
  lastTimestamp: z.string(),
  /** SHA-256 of the last segment, and checksum of its last entry. */
  sha256: z.string(),
  checksum: z.string(),
  /** First op of its chain, and the breaks before it. */
  chainFirstOp: z.number().int(),
  gaps: z.number().int(),
  /** Chains before it that are left, oldest first, at most EARLIER_RUNS_MAX. */
  earlier: z.array(
    z.object({
      firstOp: z.number().int(),
      lastOp: z.number().int(),
      lastTimestamp: z.string(),
    }),
  ),
});

/** The end of an archive's log. */
export type ArchiveEnd = z.infer<typeof endSchema>;
/** The place of an end among the log's chains. */
export type ChainPlace = Pick<ArchiveEnd, 'chainFirstOp' | 'gaps' | 'earlier'>;

interface Waiting {
  readonly name: string;
  readonly firstOp: number;
  readonly begins: Begins;
  readonly bytes: number;
}

const NAME = /^([0-9a-f]{14})(?:-(start|gap))?\.segment$/;

export class Spool {
  readonly #folder: string;
  #waiting: Waiting[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<Spool> {
    await mkdir(folder, { recursive: true });
    const spool = new Spool(folder);
    for (const name of (await readdir(folder)).sort()) {
      const [, op, begins] = NAME.exec(name) ?? [];
      if (op === undefined) continue;
      const { size: bytes } = await stat(join(folder, name));
      spool.#waiting.push({
        name,
        firstOp: Number.parseInt(op, 16),
        begins: begins as Begins,
        bytes,
      });
    }
    return spool;
  }

  get bytes(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get count(): number {
    return this.#waiting.length;
  }

  async add({ firstOp, begins, object }: SpooledSegment): Promise<void> {
    const begin = begins === undefined ? '' : `-${begins}`;
    const name = `${firstOp.toString(16).padStart(14, '0')}${begin}.segment`;
    await this.#write(name, object);
    this.#waiting.push({ name, firstOp, begins, bytes: object.length });
  }

  /** The oldest segment; `undefined` if none waits. */
  async first(): Promise<SpooledSegment | undefined> {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const { name, firstOp, begins } = first;
    return { firstOp, begins, object: await readFile(join(this.#folder, name)) };
  }

  async last(): Promise<SpooledSegment | undefined> {
    const last = this.#waiting.at(-1);
    if (last === undefined) return undefined;
    const { name, firstOp, begins } = last;
    return { firstOp, begins, object: await readFile(join(this.#folder, name)) };
  }

  async removeFirst(): Promise<void> {
    const first = this.#waiting.shift();
    if (first !== undefined) await rm(join(this.#folder, first.name), { force: true });
  }

  async clear(): Promise<void> {
    while (this.#waiting.length > 0) await this.removeFirst();
  }

  async readEnd(): Promise<ArchiveEnd | undefined> {
    try {
      const text = await readFile(join(this.#folder, 'end.json'), 'utf8');
      return endSchema.parse(JSON.parse(text));
    } catch {
      // It only saves a look into the store.
      return undefined;
    }
  }

  async writeEnd(end: ArchiveEnd): Promise<void> {
    await this.#write('end.json', Buffer.from(JSON.stringify(end)));
  }

  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#folder, name);
    await writeFile(`${path}.new`, bytes);
    await rename(`${path}.new`, path);
  }
}
