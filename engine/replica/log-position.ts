import type { CheckpointPosition } from '../log/log.ts';
import type { LogPosition } from '../log/replicated/block.ts';
import { originOf } from '../log/replicated/identity.ts';

/** Where a checkpoint stands in the replicated log; one without a place is what an incarnation begins with. */
export function logPositionOf(position: CheckpointPosition): LogPosition {
  const { place, op, timestamp, view } = position;
  if (place === undefined) return originOf(position);
  const { sequence, fence, seal } = place;
  return { sequence, op, timestamp, view, fence, seal };
}
