import { ApiError, type Kube, type KubeObject, type Resource } from './kube.ts';

/** Creates it. `undefined`: there is one of that name, and nothing was written. Throws as `create` does otherwise. */
export async function createIfNone<T extends KubeObject>(
  kube: Kube,
  resource: Resource,
  object: T,
  options: { readonly fieldManager: string },
): Promise<T | undefined> {
  try {
    return await kube.create(resource, object, options);
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return undefined;
    throw error;
  }
}
