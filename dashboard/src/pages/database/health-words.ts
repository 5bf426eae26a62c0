/** Health and gateway of a database in sentences. */
import type { Database } from '../../../../gen/api.ts';

type Standing = Pick<Database, 'status' | 'health' | 'nodes' | 'statusReason'>;

export function healthWords({ status, health, nodes, statusReason }: Standing): string {
  if (status !== 'READY') {
    return statusReason?.message ?? `It does not serve: its status is ${status.toLowerCase()}.`;
  }
  const away = nodes.filter(({ ready }) => !ready).map(({ index }) => index);
  const which = away.length === 0 ? '' : ` Away: node ${away.join(', ')}.`;
  const reason = statusReason === null ? '' : ` ${statusReason.message}`;
  switch (health) {
    case 'HEALTHY':
      return `All nodes serve.${reason}`;
    case 'DEGRADED':
      return `It serves, and survives less than it should.${which}${reason}`;
    case 'UNAVAILABLE':
      return `It does not serve at the moment; nothing that was written is lost.${which}${reason}`;
    case 'UNKNOWN':
      break;
  }
  return `Nobody has looked at it lately, so nothing is known of its health.${which}${reason}`;
}

type NodeUsage = NonNullable<Database['usage']>['nodes'][number];

/** Role, zone and lag of a node, as far as they are known. `isAlone`: it has nobody to lead. */
export function nodeWords(
  { leader, zone, commitLagOps: lag }: NodeUsage,
  isAlone: boolean,
): string {
  const role = leader === null || isAlone ? undefined : leader ? 'leads' : 'follows';
  const behind =
    lag === null || isAlone || leader === true
      ? undefined
      : lag === 0
        ? 'up to date'
        : `${lag.toLocaleString('en')} operations behind`;
  return [role, zone === null ? undefined : `zone ${zone}`, behind]
    .filter((one) => one !== undefined)
    .join(', ');
}

export function gatewayWords({ status, latencyMs, lastError }: Database['gateway']): string {
  const error = lastError === null ? '' : ` ${lastError}`;
  switch (status) {
    case 'CONNECTED':
      return latencyMs === null
        ? 'The gateway is connected.'
        : `The gateway is connected; the last answer took ${latencyMs.toFixed(1)} ms.`;
    case 'CONNECTING':
      return `The gateway is connecting.${error}`;
    case 'DISCONNECTED':
      return `The gateway is not connected.${error}`;
    case 'UNKNOWN':
      break;
  }
  return 'The gateway has not connected yet.';
}
