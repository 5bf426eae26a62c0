/** A reign: the parts that a replica has while it leads under one fence. A reign ends once and does not come back. */
import type { KeyObject } from 'node:crypto';
import type { Timers } from '../../../base/timers.ts';
import { Appender } from './appender.ts';
import type { Block, LogPosition } from './block.ts';
import type { ReplicatedLogError } from './errors.ts';
import type { Etcd } from './etcd.ts';
import { FenceCheck } from './fence-check.ts';
import type { RetainedBytes } from './retained.ts';
import { Trimmer } from './trimmer.ts';

interface ReignOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  readonly random: () => number;
  readonly sealKey: KeyObject;
  readonly replicaCount: number;
  readonly fence: number;
  readonly view: number;
  readonly position: LogPosition;
  readonly retained: RetainedBytes;
  readonly retainedBytesMax: () => number;
  readonly bytesInUse: () => number | undefined;
  readonly neededByArchive?: (() => number | undefined) | undefined;
  readonly onCommitted: (block: Block) => void;
  /** Called when a call through the local member has found that the fence stands. */
  readonly onProved: () => void;
  readonly onDeposed: () => void;
  readonly onFailure: (error: ReplicatedLogError) => void;
}

export interface Reign {
  readonly fence: number;
  readonly view: number;
  readonly appender: Appender;
  readonly fenceCheck: FenceCheck;
  readonly trimmer: Trimmer;
  stop(): void;
}

export function startReign(options: ReignOptions): Reign {
  const { fence, view } = options;
  const fenceCheck = new FenceCheck(options);
  const trimmer = new Trimmer(options);
  const appender = new Appender({
    ...options,
    onCommitted: (block) => {
      options.onCommitted(block);
      trimmer.committed();
    },
    moment: () => fenceCheck.moment(),
    onFenceSeen: (moment) => fenceCheck.proved(moment),
  });
  const stop = (): void => {
    appender.stop();
    fenceCheck.stop();
    trimmer.stop();
  };
  return { fence, view, appender, fenceCheck, trimmer, stop };
}
