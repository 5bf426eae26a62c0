import { ApiError } from '../../base/kube/kube.ts';
import { Refusal } from '../model/refusal.ts';

/** Writes to the cluster for a request; throws a refusal if others changed the resource at every try. */
export async function orChanged<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    throw new Refusal('resource_changed', {
      detail: `${name} was changed by others at the same time, and this change was not made. Send the request again.`,
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}
