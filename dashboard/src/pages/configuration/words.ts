/** Changes in words. */
import type { Change, ChangeImpact, FieldChange } from '../../../../gen/api.ts';
import type { Tone } from '../../ui/States.tsx';
import { shownMoney } from '../../lib/money.ts';

const names: Readonly<Record<string, string>> = {
  '/clusterConfiguration': 'Topology',
  '/clusterSize': 'Size',
  '/selectedStorageGb': 'Storage (GiB)',
  '/autogrow': 'Grows by itself',
  '/engineVersion': 'Engine version',
  '/continuousArchiving': 'Log archived',
  '/changeDataCapture': 'Change streams',
  '/restoredTo': 'State of the ledger',
  '/suspended': 'Stopped',
};

/** What is there where nothing is set, if it is not the default. */
const unset: Readonly<Record<string, string>> = {
  '/continuousArchiving': 'no',
  '/restoredTo': 'as it is',
};

/** `/parameters/limitConnections` as `limitConnections`; pointers without a word are returned unchanged. */
export const fieldName = (path: string): string =>
  names[path] ??
  path
    .replace(/^\/parameters\//, '')
    .replace(/^\/labels\//, 'label ')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');

export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return 'default';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object' && 'limitGb' in value) return `up to ${String(value.limitGb)} GiB`;
  if (typeof value === 'object' && 'rpoSeconds' in value)
    return `within ${String(value.rpoSeconds)} s`;
  if (typeof value === 'object' && 'backupId' in value) return `backup ${String(value.backupId)}`;
  if (typeof value === 'object' && 'targetOp' in value)
    return `operation ${String(value.targetOp)}`;
  if (typeof value === 'object' && 'targetTimestamp' in value)
    return timeOf(String(value.targetTimestamp));
  if (typeof value === 'object' && 'suspended' in value)
    return value.suspended === true ? 'suspended' : 'on';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Of nanoseconds since 1970. */
const timeOf = (timestamp: string): string =>
  `${new Date(Number(BigInt(timestamp) / 1_000_000n)).toISOString().slice(0, 19)}.${timestamp.slice(-9)}Z`;

export const diffWords = (diff: readonly FieldChange[]): string =>
  diff
    .map(({ path, from, to }) => {
      const shown = (value: unknown) =>
        value === null ? (unset[path] ?? shownValue(value)) : shownValue(value);
      return `${fieldName(path)}: ${shown(from)} → ${shown(to)}`;
    })
    .join(', ');

export function impactWords({
  interruption,
  longestWaitSeconds: wait,
  rollingRestart,
}: ChangeImpact): string {
  const pods = rollingRestart ? ' Its pods are replaced one at a time.' : '';
  switch (interruption) {
    case 'NONE':
      return `Clients notice nothing.${pods}`;
    case 'SECONDS':
    case 'MINUTES':
      return `Requests wait ${wait === null ? 'for a while' : `${waitWords(wait)} at most`}.${pods}`;
    case 'UNTIL_RESUMED':
      break;
  }
  return 'Nobody can use it until it is started again.';
}

const waitWords = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;

export const priceWords = (delta: Change['priceDelta']): string => {
  if (delta === null) return 'There are no prices here.';
  if (/^-?0+\.0+$/.test(delta.amount)) return 'The price stays the same.';
  const isLess = delta.amount.startsWith('-');
  const shown = shownMoney({ ...delta, amount: delta.amount.replace('-', '') });
  return `${shown} a month ${isLess ? 'less' : 'more'}.`;
};

/** `SUNDAY` as `Sunday`. */
export const dayName = (weekday: string): string =>
  `${weekday.slice(0, 1)}${weekday.slice(1).toLowerCase()}`;

export const changeTones: Readonly<Record<Change['status'], Tone>> = {
  QUEUED: 'soft',
  APPLYING: 'busy',
  APPLIED: 'good',
  FAILED: 'bad',
  CANCELED: 'warn',
};
