/** Place in the replicated log of a replica without a state: it fetches another one's before it takes part in anything. */
import type { LogPlace } from './log.ts';
import { SEAL_SIZE } from './seal.ts';

/**
 * - `lost`: the replica took part before, and its member of etcd is replaced, or still there.
 * - `new`: the log is new too, and begins with the first replica's state. The member may begin with the others.
 */
export type WithoutState = 'lost' | 'new';

const NEW_LOG = 1;

export const placeWithoutState = (incarnation: number, why: WithoutState): LogPlace => ({
  incarnation,
  sequence: 0,
  fence: why === 'new' ? NEW_LOG : 0,
  seal: new Uint8Array(SEAL_SIZE),
});

export const lacksState = (place: LogPlace | undefined): boolean => place?.sequence === 0;

/** Whether the replica has neither a state nor a part in any log yet. */
export const beginsWithLog = (place: LogPlace | undefined): boolean =>
  lacksState(place) && place?.fence === NEW_LOG;
