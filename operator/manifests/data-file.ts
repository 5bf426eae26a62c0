/** Paths of data files within pods. */
import { dataFilePath } from '../../domain/names.ts';
import { replicaIndex } from './container.ts';
import type { Subject } from './subject.ts';

export const dataFileOf = (subject: Subject, index: number): string =>
  dataFilePath(subject.resolved.engine.name, subject.clusterId, index);

/** Path for the one template of all replicas. */
export const dataFileOfAny = (subject: Subject): string =>
  dataFileOf(subject, 0).replace(/_0(?=\.[a-z]+$)/, `_${replicaIndex}`);

/** Path at which a data file is made, before it gets its name in one step. */
export const partialOf = (path: string): string => `${path}.partial`;
