/** Writer of LedgerImports: trials of rows that customers upload. */
import { createIfNone } from '../../base/kube/create-if-none.ts';
import type { Kube, Reference } from '../../base/kube/kube.ts';
import { apiVersion, type ImportObject } from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import { apiName, labels } from '../../domain/names.ts';

interface ImportPlace {
  readonly namespace: string;
  readonly name: string;
}

export class ImportWriter {
  readonly #kube: Kube;

  constructor(kube: Kube) {
    this.#kube = kube;
  }

  /** Reads from the API server, not from a cache. */
  read(place: ImportPlace): Promise<ImportObject | undefined> {
    return this.#kube.read<ImportObject>(referenceOf(place));
  }

  /** Creates the resource. Returns `undefined`, writing nothing, if there is one of that name. */
  create(
    { namespace, name }: ImportPlace,
    spec: ImportObject['spec'],
  ): Promise<ImportObject | undefined> {
    const object: ImportObject = {
      apiVersion,
      kind: 'LedgerImport',
      metadata: { namespace, name, labels: { [labels.managedBy]: apiName } },
      spec,
    };
    return createIfNone(this.#kube, resources.import, object, { fieldManager: apiName });
  }

  /** Deletes the resource and with it its Job. Does nothing if it is gone. */
  async delete(place: ImportPlace): Promise<void> {
    const uid = (await this.read(place))?.metadata.uid;
    if (uid !== undefined) await this.#kube.delete(referenceOf(place), { uid });
  }
}

const referenceOf = ({ namespace, name }: ImportPlace): Reference => ({
  resource: resources.import,
  namespace,
  name,
});
