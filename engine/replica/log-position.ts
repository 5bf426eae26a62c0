import type { CheckpointPosition } from '../log/log.ts';
import type { LogPosition } from '../log/replicated/block.ts';
import { originOf } from '../log/replicated/identity.ts';

/** Returns a checkpoint's position in the replicated log. An incarnation begins with a checkpoint that has no place. */
export function logPositionOf(position: CheckpointPosition): LogPosition {
  const { place, op, timestamp, view } = position;
  if (place === undefined) return originOf(position);
  const { sequence, fence, seal } = place;
  return { sequence, op, timestamp, view, fence, seal };
}
