/** Detects OpenShift, which assigns users to pods and refuses those that name a user outside their namespace's range. */
import type { Transport } from '../base/kube/transport.ts';

const group = 'security.openshift.io';

/**
 * Whether the cluster serves OpenShift's security API. Throws without a clear answer: pods made for the wrong kind of cluster
 * would not start.
 */
export async function isOpenShift(transport: Transport, timeoutMs = 30_000): Promise<boolean> {
  const response = await transport.send({
    method: 'GET',
    path: `/apis/${group}`,
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.text();
  if (response.status === 200) return true;
  if (response.status === 404) return false;
  throw new Error(
    `the API server answered ${response.status} when asked for ${group}; set LEDGERHOUSE_OPERATOR_OPENSHIFT to yes or no`,
  );
}
