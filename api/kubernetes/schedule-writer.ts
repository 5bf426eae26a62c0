/** Writer of LedgerBackupSchedules, always of exactly the intended object. */
import { createIfNone } from '../../base/kube/create-if-none.ts';
import type { Kube, Reference } from '../../base/kube/kube.ts';
import { apiVersion, type ScheduleObject } from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import { apiName, labels } from '../../domain/names.ts';
import { patchOwn } from './patch-own.ts';

type Spec = ScheduleObject['spec'];

interface SchedulePlace {
  readonly namespace: string;
  readonly name: string;
}

export class ScheduleWriter {
  readonly #kube: Kube;

  constructor(kube: Kube) {
    this.#kube = kube;
  }

  /** Reads from the API server, not from a cache. */
  read(place: SchedulePlace): Promise<ScheduleObject | undefined> {
    return this.#kube.read<ScheduleObject>(referenceOf(place));
  }

  /** Creates the resource. Returns `undefined`, writing nothing, if there is one of that name. */
  create(
    { namespace, name }: SchedulePlace,
    databaseId: string,
    spec: Spec,
  ): Promise<ScheduleObject | undefined> {
    const object: ScheduleObject = {
      apiVersion,
      kind: 'LedgerBackupSchedule',
      metadata: {
        namespace,
        name,
        labels: { [labels.databaseId]: databaseId, [labels.managedBy]: apiName },
      },
      spec,
    };
    return createIfNone(this.#kube, resources.backupSchedule, object, { fieldManager: apiName });
  }

  /** Same as `patchOwn`. */
  change(
    place: SchedulePlace,
    uid: string,
    spec: Partial<Spec>,
    check?: (found: ScheduleObject) => void,
  ): Promise<ScheduleObject | undefined> {
    return patchOwn<ScheduleObject>(this.#kube, referenceOf(place), uid, { spec }, { check });
  }

  /** Deletes the resource; the backups that it made stay. Does nothing if it is gone. */
  delete(place: SchedulePlace, uid: string): Promise<void> {
    return this.#kube.delete(referenceOf(place), { uid });
  }
}

const referenceOf = ({ namespace, name }: SchedulePlace): Reference => ({
  resource: resources.backupSchedule,
  namespace,
  name,
});
