/** The answer of an engine of several replicas, which has metrics that one alone has not. */
import type { BuiltinStatus } from '../../../domain/engine-status.ts';
import { metricsText } from '../../../engine/server/metrics.ts';

export const metricsOfSeveralReplicas = (): Promise<string> =>
  metricsText({ warnings: [], storage: {} } as unknown as BuiltinStatus, {
    requests: new Map(),
    refused: 0,
    statuses: [],
    scrubbing: { verifiedBytes: 0, damagedBytes: 0, mendedPages: 0 },
    index: {
      segments: 0,
      onVolume: 0,
      unsealed: 0,
      unmerged: 0,
      streamedRows: 0,
      streamedDone: 0,
      givenUp: 0,
      areReadsFailing: false,
    },
    pages: { hits: 0, read: 0, rowsInMemory: 0 },
    reigns: { begun: new Map(), ended: new Map() },
    stateBytes: { received: 0, kept: 0 },
    streamErrors: new Map(),
    closed: new Map(),
    times: async () => '',
  });
