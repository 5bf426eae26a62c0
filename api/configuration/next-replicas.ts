/**
 * Lets the operator make the volumes and data files of the further replicas while the single one still serves. Its clients wait for
 * neither, and missing room is found before anything stops. The operator keeps them for a limited time, so a forgotten change costs no
 * volumes.
 */
import type { DatabaseObject, TopologyName } from '../../domain/custom-resources.ts';
import { annotations } from '../../domain/names.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';

/** Time for which they are asked for, and after which that is renewed. */
const keptMs = 15 * 60_000;
const renewedMs = 10 * 60_000;
/** Time within which an operator that knows of this says so. One of an earlier release makes them in the gap. */
const heardMs = 30_000;
/** Time for all of them to get a place and a file: longer than a node or a volume needs to come. */
const madeMs = 5 * 60_000;

export async function askForReplicas(
  writer: DatabaseWriter,
  object: DatabaseObject,
  topology: TopologyName,
  { nowMs, mustBeOurs }: { readonly nowMs: number; readonly mustBeOurs: () => Promise<void> },
): Promise<void> {
  const agoMs = askedAgo(object, topology, nowMs);
  if (agoMs !== undefined && agoMs < renewedMs) return;
  await mustBeOurs();
  const until = new Date(nowMs + keptMs).toISOString().replace(/\.\d+Z$/, 'Z');
  await writer.annotate(object, { [annotations.nextTopology]: `${topology}/${until}` });
}

export async function forgetReplicas(
  writer: DatabaseWriter,
  object: DatabaseObject,
): Promise<void> {
  if (object.metadata.annotations?.[annotations.nextTopology] === undefined) return;
  await writer.annotate(object, { [annotations.nextTopology]: null });
}

/** Time since they were asked for; `undefined` if they are not, or were for too long. */
function askedAgo(
  { metadata }: DatabaseObject,
  topology: TopologyName,
  nowMs: number,
): number | undefined {
  const [name, until = ''] = metadata.annotations?.[annotations.nextTopology]?.split('/') ?? [];
  const agoMs = nowMs - (Date.parse(until) - keptMs);
  return name === topology && agoMs < keptMs ? agoMs : undefined;
}

/** `ready`: nothing has to be waited for any more. The message of one that is awaited or failed is the operator's. */
export function nextReplicas(
  object: DatabaseObject,
  topology: TopologyName,
  nowMs: number,
): { readonly kind: 'ready' | 'awaited' | 'failed'; readonly message?: string | undefined } {
  const agoMs = askedAgo(object, topology, nowMs);
  if (agoMs === undefined) return { kind: 'awaited' };
  const { nextTopology } = object.status ?? {};
  if (nextTopology?.name !== topology) return { kind: agoMs < heardMs ? 'awaited' : 'ready' };
  const { ready, message } = nextTopology;
  if (ready) return { kind: 'ready' };
  return { kind: agoMs < madeMs ? 'awaited' : 'failed', message };
}
