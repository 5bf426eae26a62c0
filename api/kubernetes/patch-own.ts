import { backoffMs } from '../../base/backoff.ts';
import { ApiError, type Kube, type KubeObject, type Reference } from '../../base/kube/kube.ts';
import { sleep, systemTimers, type Timers } from '../../base/timers.ts';
import { apiName } from '../../domain/names.ts';

/** The API server itself tries a patch five times before it reports a conflict. */
const triesMax = 3;
const again = { baseMs: 50, maxMs: 500 };

interface PatchOptions<T> {
  readonly timers?: Timers;
  readonly check?: ((found: T) => void) | undefined;
}

/**
 * Patches only the object that has this uid. Returns `undefined` if it is gone, or another one has its name. Throws `ApiError`
 * with status 409 if others changed it at every try. `check` sees the object before each try, and throws if it must not be patched;
 * only the version that it saw is patched.
 */
export async function patchOwn<T extends KubeObject>(
  kube: Pick<Kube, 'mergePatch' | 'read'>,
  reference: Reference,
  uid: string,
  patch: { readonly spec: object },
  { timers = systemTimers, check }: PatchOptions<T> = {},
): Promise<T | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      const seen = check === undefined ? undefined : await kube.read<T>(reference);
      if (check !== undefined) {
        if (seen?.metadata.uid !== uid) return undefined;
        check(seen);
      }
      const resourceVersion = seen?.metadata.resourceVersion;
      const body = { ...patch, metadata: { uid, ...(resourceVersion && { resourceVersion }) } };
      return await kube.mergePatch<T>(reference, body, { fieldManager: apiName });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 404) return undefined;
      if (error.status !== 409) throw error;
      // Another uid is a conflict, too.
      const found = await kube.read(reference);
      if (found?.metadata.uid !== uid) return undefined;
      if (tries === triesMax) throw error;
    }
    await sleep(timers, backoffMs(tries, again, Math.random));
  }
}
