/** The API calls that a reflector needs: pages of a list, and the stream of later changes; and the logs of pods. */
import type { KubeObject, ListOptions, Reference, Resource } from './kube.ts';

export interface Page<T extends KubeObject> {
  readonly items: readonly T[];
  /** Resource version of the whole list, the same on each page. */
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  /** For `BOOKMARK` only its `metadata.resourceVersion` counts; for `ERROR` it is a Status. */
  readonly object: KubeObject;
}

export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  /** Seconds after which the server ends the watch by itself. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

export interface KubeSource {
  listPage<T extends KubeObject>(
    resource: Resource,
    options: ListOptions & {
      readonly continueToken?: string | undefined;
      /** Objects in one page. Default 500. */
      readonly pageSize?: number;
      readonly signal: AbortSignal;
    },
  ): Promise<Page<T>>;
  /**
   * Yields once the watch is open, and then whenever bytes have arrived, with the events that they completed, perhaps none: a
   * dead connection is recognized by silence. Returns when the server has ended the stream; throws `ApiError` otherwise.
   */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<readonly WatchEvent[]>;
}

export interface PodLogOptions {
  readonly container: string;
  /** Goes on with new lines until the container ends. */
  readonly follow?: boolean;
  /** The log of the container that ran before the current one. */
  readonly previous?: boolean;
  /** Lines from the second of this time on. */
  readonly since?: Date | undefined;
  /** Only this many of the last existing lines. */
  readonly tailLines?: number | undefined;
  readonly signal: AbortSignal;
}

export interface PodLogs {
  /** Yields no bytes once the log is open, and then lines as they come, each with its time, cut anywhere. Throws `ApiError`. */
  podLog(pod: Omit<Reference, 'resource'>, options: PodLogOptions): AsyncGenerator<Uint8Array>;
}
