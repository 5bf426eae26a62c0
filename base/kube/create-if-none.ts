import { ApiError, type Kube, type KubeObject, type Resource } from './kube.ts';

/** Creates the object. Returns `undefined`, writing nothing, if one of that name exists. Otherwise throws as `create` does. */
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
