import { ApiError } from '../../base/kube/kube.ts';

/** The failure of a job whose request the API server would refuse at every retry, too. */
export function clusterRefusalOf(
  error: unknown,
): { readonly code: string; readonly message: string } | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { status, message } = error;
  if (status === 422 || status === 400) return { code: 'refused_by_cluster', message };
  return status === 403 ? { code: 'forbidden_by_cluster', message } : undefined;
}
