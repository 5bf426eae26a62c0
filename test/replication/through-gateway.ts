/** The gateway of the HTTP API before a group of replicas. */
import pino from 'pino';
import { Gateway } from '../../api/gateway/gateway.ts';
import { runOperation } from '../../api/gateway/run-operation.ts';
import { ledgerOperations, type LedgerOperationName } from '../../api/ledger/operations.ts';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
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
    logger: pino({ level: 'silent' }),
    registry: new MetricRegistry(),
    statusUrl: ({ port }) => made.statusUrl(ports.indexOf(port)),
  });
  const run: Run = async (operation, payload) => {
    const answer = await runOperation(
      gateway,
      ledgerOperations[operation],
      new TextEncoder().encode(JSON.stringify(payload)),
      {
        target: { databaseId: 'db_full', cluster: 0n, addresses },
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
  };
  return { gateway, run };
}
