import type { SweptStore } from '../../archive/object-store.ts';

/** IDs of the databases that have archives in a bucket. Folders whose names are no database's are not ours. */
export async function* archives(store: Pick<SweptStore, 'folders'>): AsyncIterable<string> {
  for await (const folder of store.folders()) if (/^[a-z0-9_]{1,64}$/.test(folder)) yield folder;
}
