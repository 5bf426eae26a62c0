/** The gateway of the HTTP API before replicas. */
import pino from 'pino';
import type { Target } from '../../api/gateway/connection.ts';
import { deadlineRange, Gateway } from '../../api/gateway/gateway.ts';
import { runOperation } from '../../api/gateway/run-operation.ts';
import { ledgerOperations, type LedgerOperationName } from '../../api/ledger/operations.ts';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { Address } from '../../engine/client/client.ts';
import { parseAddresses } from '../../engine/commands/values.ts';
import type { ReplicaGroup } from './replica-group.ts';

interface Shown {
  readonly result?: readonly Readonly<Record<string, unknown>>[];
  readonly missing?: readonly string[];
}

export interface Answer extends Shown {
  readonly code: string | undefined;
  readonly outcome: string | undefined;
}

export type Run = (operation: LedgerOperationName, payload: unknown) => Promise<Answer>;

/** A gateway before the group, and what runs an operation through it. */
export function throughGateway(made: ReplicaGroup): {
  readonly gateway: Gateway;
  readonly run: Run;
} {
  const addresses = parseAddresses(made.addresses.join(','));
  const ports = addresses.map(({ port }) => port);
  const gateway = new Gateway({
    ...observers(),
    statusUrl: ({ port }) => made.statusUrl(ports.indexOf(port)),
  });
  const target = { databaseId: 'db_full', cluster: 0n, version: 0, addresses };
  return { gateway, run: (operation, payload) => runThrough(gateway, target, operation, payload) };
}

/** A gateway before a database that moves to other addresses. Its deadlines are so far away that everything comes before them. */
export function movingGateway(first: readonly Address[]): {
  readonly gateway: Gateway;
  readonly run: Run;
  readonly moveTo: (addresses: readonly Address[]) => void;
} {
  const after: Timers['after'] = (ms, callback) =>
    systemTimers.after(ms < deadlineRange.minMs ? ms : 100 * ms, callback);
  const gateway = new Gateway({ ...observers(), timers: { ...systemTimers, after } });
  const at = (addresses: readonly Address[], version: number): Target => ({
    databaseId: 'db_moves',
    cluster: 0n,
    version,
    addresses,
    again: async () => where,
  });
  let where = at(first, 0);
  return {
    gateway,
    run: (operation, payload) => runThrough(gateway, where, operation, payload),
    moveTo: (addresses) => {
      where = at(addresses, where.version + 1);
    },
  };
}

const observers = () => ({ logger: pino({ level: 'silent' }), registry: new MetricRegistry() });

async function runThrough(
  gateway: Gateway,
  target: Target,
  operation: LedgerOperationName,
  payload: unknown,
): Promise<Answer> {
  const answer = await runOperation(
    gateway,
    ledgerOperations[operation],
    new TextEncoder().encode(JSON.stringify(payload)),
    {
      target,
      owner: 'org_test',
      requestId: 'req_test',
      engine: 'Builtin',
      engineVersion: '0.1.0',
      streams: false,
      format: 'json',
      timeoutMs: 30_000,
    },
  );
  if (!answer.ok) {
    const { code, outcome } = { ...answer.problem } as { code?: string; outcome?: string };
    return { code, outcome };
  }
  const shown = JSON.parse(new TextDecoder().decode(answer.body)) as Shown;
  return { ...shown, code: undefined, outcome: 'executed' };
}
