/** A process that is killed between two writes, without a process: for every index at which it could be. */
import { ApiError, type Kube, type KubeObject } from '../../../base/kube/kube.ts';

/** The error of every call after the death. The code under test must not recover from it. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** One life of an operator, however many `Kube`s it works with. */
export interface Life {
  /** Writes that were sent. */
  readonly writes: readonly string[];
  /** Whether the end has come: the last index was tried when it never does. */
  readonly dead: boolean;
  wrap(kube: Kube): Kube;
}

interface LifeOptions {
  /** The process dies after its last write was done, before it heard so. */
  readonly lastAnswerLost?: boolean;
  /** Counted from 1: of this write it never hears that it was done, and lives on. */
  readonly unanswered?: number;
}

/** A life of `writesMax` writes. The next one is not done, and every call from then on throws `Killed`. */
export function lifeOf(
  writesMax: number,
  { lastAnswerLost = false, unanswered }: LifeOptions = {},
): Life {
  const writes: string[] = [];
  let dead = false;
  const alive = () => {
    if (dead) throw new Killed(`killed after ${writes.length} writes`);
  };
  const write = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    alive();
    if (writes.length >= writesMax) dead = true;
    alive();
    writes.push(what);
    const last = lastAnswerLost && writes.length === writesMax;
    const deaf = writes.length === unanswered;
    const answer = await run();
    if (last) dead = true;
    alive();
    if (deaf) throw new ApiError('no answer came', { status: 0, reason: 'Unreachable' });
    return answer;
  };
  const read = async <T>(run: () => Promise<T>): Promise<T> => {
    alive();
    const answer = await run();
    alive();
    return answer;
  };
  return {
    writes,
    get dead() {
      return dead;
    },
    wrap: (kube) => through(kube, read, write),
  };
}

function through(
  kube: Kube,
  read: <T>(run: () => Promise<T>) => Promise<T>,
  write: <T>(what: string, run: () => Promise<T>) => Promise<T>,
): Kube {
  const nameOf = (object: KubeObject) => `${object.kind}/${object.metadata.name ?? ''}`;
  return {
    serverTimeMs: () => kube.serverTimeMs(),
    read: (reference) => read(() => kube.read(reference)),
    list: (resource, options) => read(() => kube.list(resource, options)),
    create: (resource, object, options) =>
      write(`create ${nameOf(object)}`, () => kube.create(resource, object, options)),
    apply: (resource, object, options) =>
      write(`apply ${nameOf(object)}`, () => kube.apply(resource, object, options)),
    mergePatch: (reference, patch, options) =>
      write(`patch ${reference.resource.kind}/${reference.name}`, () =>
        kube.mergePatch(reference, patch, options),
      ),
    delete: (reference, options) =>
      write(`delete ${reference.resource.kind}/${reference.name}`, () =>
        kube.delete(reference, options),
      ),
  };
}
