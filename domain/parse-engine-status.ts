/** Parses an engine's status. A wrong answer of an engine becomes a problem with a message, never a crash of the reader. */
import { z } from 'zod';
import { archiveStatusSchema } from './archive-status.ts';
import { EngineWarning, ReplicaRole, type EngineStatus } from './engine-status.ts';

interface StatusProblem {
  readonly problem: string;
}

const u128Max = (1n << 128n) - 1n;

const count = z.int().min(0);
const text = z.string().regex(/^[\x20-\x7e]{1,64}$/);
// A single check: after a failed `regex` a second one would still run, and `BigInt` throws for other text.
const u128 = z
  .string()
  .refine((text) => /^(0|[1-9]\d{0,38})$/.test(text) && BigInt(text) <= u128Max);
const usage = z.object({ usedBytes: count, limitBytes: count });
/** Unknown words of a newer engine are ignored, not refused. */
const warnings = z
  .array(z.unknown())
  .max(32)
  .transform((given) => Object.values(EngineWarning).filter((known) => given.includes(known)));

const release = z.string().regex(/^\d{1,5}\.\d{1,3}\.\d{1,3}$/);
const checkLookup = z.object({
  accountId: u128,
  ip: z.string().regex(/^[0-9a-fA-F:.]{0,45}$/),
  release,
  latencyMs: z.number().min(0),
  agoMs: count,
});
/** An invalid lookup is ignored: it says nothing else about the replica. */
const checkLookups = z
  .array(z.unknown())
  .max(64)
  .transform((given) => given.flatMap((one) => checkLookup.safeParse(one).data ?? []));

const engineStatus = z
  .object({
    engine: z.enum(['Builtin', 'TigerBeetle']),
    version: text,
    release,
    clusterId: u128,
    replicaIndex: count,
    replicaCount: count.min(1).max(6),
    role: z.enum(Object.values(ReplicaRole)),
    view: count,
    op: count,
    commit: count,
    checkpoint: count,
    syncing: z.boolean(),
    warnings,
    storage: usage,
    // Fields that not every engine reports.
    syncStage: count.exactOptional(),
    replicaStatus: count.exactOptional(),
    stateHash: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .exactOptional(),
    acceptsWrites: z.boolean().exactOptional(),
    writesPaused: z.boolean().exactOptional(),
    clockAgrees: z.boolean().exactOptional(),
    clockOffsetMs: z.int().exactOptional(),
    sessions: count.exactOptional(),
    connections: count.exactOptional(),
    accounts: count.exactOptional(),
    transfers: count.exactOptional(),
    checkLookups: checkLookups.exactOptional(),
    memory: usage.exactOptional(),
    mendedPages: count.exactOptional(),
    archive: z.unknown().optional(),
  })
  .refine(({ replicaIndex, replicaCount }) => replicaIndex < replicaCount, {
    path: ['replicaIndex'],
  });

export function parseEngineStatus(json: unknown): EngineStatus | StatusProblem {
  const { data, error } = engineStatus.safeParse(json);
  if (data !== undefined) {
    const { archive: given, ...status } = data;
    // A newer archiver may report an unknown state; the other fields of the replica's status remain valid.
    const archive = archiveStatusSchema.safeParse(given).data;
    return { ...status, ...(archive !== undefined && { archive }) };
  }
  const wrong = error.issues[0]?.path.join('.') ?? '';
  return {
    problem: wrong === '' ? 'the status is not an object' : `the status has no valid ${wrong}`,
  };
}
