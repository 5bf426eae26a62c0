/**
 * Writes into the status of each database how its change streams stand, with a field manager of its own: the operator makes the
 * condition ChangeDataCaptureHealthy of it. Several workers write the same; each first looks at what is there.
 */
import type { Logger } from 'pino';
import type { Kube } from '../../base/kube/kube.ts';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { apiVersion, type DatabaseObject } from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import type { ChangeStream } from '../model/change-stream.ts';
import { streamsByDatabase } from '../store/stream-standings.ts';
import type { Store } from '../store/store.ts';
import { isStreamNews, streamStatusOf, type StreamStatus } from './stream-status.ts';

interface StatusWriterOptions {
  readonly store: Store;
  readonly kube: Kube;
  readonly view: { databases(): readonly DatabaseObject[]; readonly synced: boolean };
  readonly logger: Logger;
}

const fieldManager = 'ledgerhouse-worker-streams';
const everyMs = 10_000;

export class StreamStatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #task: RepeatingTask;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#task = new RepeatingTask({
      everyMs,
      run: (signal) => this.#writeAll(signal),
      onFailure: (error) =>
        options.logger.warn({ err: error }, 'the status of change streams could not be written'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #writeAll(signal: AbortSignal): Promise<void> {
    const { store, view, logger } = this.#options;
    if (!view.synced) return;
    const { databases, now } = await streamsByDatabase(store.read);
    const known = new Map(databases.map(({ uid, streams }) => [uid, streams]));
    let failure: unknown;
    let failures = 0;
    for (const database of view.databases()) {
      if (signal.aborted) return;
      const streams: readonly ChangeStream[] = known.get(database.metadata.uid ?? '') ?? [];
      const status = streamStatusOf(streams, now);
      if (!isStreamNews(database.status?.changeDataCapture, status)) continue;
      try {
        await this.#write(database, status);
      } catch (error) {
        // One that is gone, or that the API server refuses, stops none of the others.
        failure = error;
        failures += 1;
      }
    }
    if (failures > 0) {
      logger.warn({ err: failure, failures }, 'the status of change streams could not be written');
    }
  }

  async #write({ metadata }: DatabaseObject, changeDataCapture: StreamStatus): Promise<void> {
    const { namespace, name, uid } = metadata;
    await this.#options.kube.apply<DatabaseObject>(
      resources.database,
      {
        apiVersion,
        kind: 'LedgerDatabase',
        // Another one of the same name is refused.
        metadata: { namespace, name, uid },
        status: { changeDataCapture },
      } as unknown as DatabaseObject,
      { fieldManager, force: true, subresource: 'status' },
    );
  }
}
