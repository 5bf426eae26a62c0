/** Keeps a note for each cluster that a test brought up, so that the ladder can take down the clusters of a killed run. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTimeOf } from '../cluster/start-time.ts';

interface Note {
  /** Process id of the cluster's owner. */
  readonly pid: number;
  readonly startTime: string;
  readonly stateFolder: string;
}

export class ClusterNotes {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a note. Must be called before anything is started. */
  add(stateFolder: string, pid = process.pid): void {
    mkdirSync(this.#folder, { recursive: true });
    const note: Note = { pid, startTime: startTimeOf(pid) ?? '', stateFolder };
    writeFileSync(this.#fileOf(stateFolder), JSON.stringify(note));
  }

  remove(stateFolder: string): void {
    rmSync(this.#fileOf(stateFolder), { force: true });
  }

  /** State folders of clusters whose owner process has ended. */
  left(): readonly string[] {
    mkdirSync(this.#folder, { recursive: true });
    const notes = readdirSync(this.#folder).map(
      (name) => JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as Note,
    );
    return notes
      .filter(({ pid, startTime }) => startTimeOf(pid) !== startTime)
      .map(({ stateFolder }) => stateFolder);
  }

  #fileOf(stateFolder: string): string {
    return join(this.#folder, `${encodeURIComponent(stateFolder)}.json`);
  }
}

export const clusterNotes = new ClusterNotes(
  join(import.meta.dirname, '../../.ledgerhouse/test/clusters'),
);
