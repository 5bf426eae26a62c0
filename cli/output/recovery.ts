/** Text of moments that a database can be restored to, for people. */
import type {
  InPlaceRestorePreview,
  Moment,
  RecoveryWindow,
  RestorePreview,
} from '../../gen/api.ts';
import { plannedFields } from './change.ts';
import { fields } from './table.ts';

const words = ({ op, time }: Pick<Moment, 'op' | 'time'>): string =>
  op === 0 ? 'the empty ledger' : `${time} (operation ${op})`;

export function windowText({
  databaseId,
  archiving,
  earliest,
  latest,
  gaps,
}: RecoveryWindow): string {
  return fields([
    ['database', databaseId],
    ['archiving', archiving === null ? 'no: only backups can be restored' : stateOf(archiving)],
    ...(earliest === null || latest === null
      ? [['moments', 'none yet'] as const]
      : [['earliest', words(earliest)] as const, ['latest', words(latest)] as const]),
    ...gaps.map(
      ({ after, before, operations }) =>
        ['gap', `${operations} operations after ${words(after)}, until ${words(before)}`] as const,
    ),
  ]);
}

const stateOf = ({ state, rpoSeconds }: NonNullable<RecoveryWindow['archiving']>): string =>
  `${state ?? 'not known yet'}, within ${rpoSeconds} s`;

export function previewText(preview: RestorePreview): string {
  const { op, atOrBefore, backup, begins, operationsMax, operationsLater } = preview;
  const { moment, lastTransfer } = preview;
  return fields([
    ['database', preview.databaseId],
    [
      'reaches',
      moment !== null
        ? words(moment)
        : op === null
          ? `the last operation at or before ${atOrBefore?.time ?? ''}`
          : `operation ${op}`,
    ],
    ...(lastTransfer === null
      ? []
      : [['last transfer', `${lastTransfer.id}, ${lastTransfer.time}`] as const]),
    [
      'begins with',
      backup === null
        ? words(begins)
        : `backup ${backup.name} (${backup.id}), ${words(begins)}, ${backup.storedBytes} bytes`,
    ],
    ['replays', `${op === null ? 'at most ' : ''}${operationsMax} operations`],
    ...(backup?.verifiedSeconds === null || backup === null
      ? []
      : [['test restore', `${backup.verifiedSeconds} s, ${backup.verifiedAt ?? ''}`] as const]),
    ...(operationsLater === null ? [] : [['leaves out', `${operationsLater} operations`] as const]),
    ...(preview.notCarriedOver.length === 0
      ? []
      : [['without', preview.notCarriedOver.join(', ')] as const]),
    ...warningsOf(preview).map((warning) => ['warning', warning] as const),
  ]);
}

export function inPlacePreviewText({ preview }: InPlaceRestorePreview): string {
  const { moment, later } = preview;
  const counted = (count: number, countedMax: number) =>
    count < countedMax ? String(count) : `${countedMax} or more`;
  return fields([
    ['database', preview.databaseId],
    ['goes back to', moment === null ? 'the last operation at that time' : words(moment)],
    [
      'loses',
      later === null
        ? 'what was written since (the ledger could not be asked how much)'
        : `${counted(later.transfers, later.countedMax)} transfers, ${counted(later.accounts, later.countedMax)} accounts`,
    ],
    ...plannedFields({ ...preview, priceDelta: null }),
  ]);
}

/** A service of an earlier release sends none. */
export const warningsOf = ({
  warnings = [],
}: {
  readonly warnings?: readonly string[];
}): readonly string[] => warnings;
