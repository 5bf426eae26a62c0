/** Text of changes for people. */
import type { Change, ChangePreview } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { fields, table } from './table.ts';

type Planned = Pick<Change, 'diff' | 'impact' | 'priceDelta'>;

export const changesText = (rows: readonly Change[]): string =>
  rows.length === 0
    ? '(no changes)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'CHANGE', cell: ({ diff }) => diff.map(differenceText).join('; ') },
          { title: 'APPLY AT', cell: applyAtText },
          {
            title: 'REVISION',
            cell: ({ profileRevision }) => orDash(profileRevision?.toString() ?? null),
          },
          { title: 'BY', cell: ({ actor }) => `${actor.display} (${actor.type})` },
          { title: 'CREATED', cell: ({ createdAt }) => createdAt },
        ],
        rows,
      );

export function changeText(change: Change): string {
  const { error } = change;
  return fields([
    ['id', change.id],
    ['status', change.status],
    ...plannedFields(change),
    ['apply at', applyAtText(change)],
    ['revision', orDash(change.profileRevision?.toString() ?? null)],
    ['way back', wayBackText(change)],
    ...(change.progress === null ? [] : [['progress', change.progress] as const]),
    ...(error === null
      ? []
      : [
          ['error', `${error.code}: ${error.message}`] as const,
          ['state', error.state] as const,
          ...error.nextSteps.map((step) => ['next', step] as const),
        ]),
    ...(change.jobId === null ? [] : [['job', change.jobId] as const]),
    ['created', `${change.createdAt} by ${change.actor.display}`],
    ...(change.finishedAt === null ? [] : [['ended', change.finishedAt] as const]),
  ]);
}

/** Revisions say nothing of the number of replicas, and of the records. */
function wayBackText({ diff, previousRevision }: Change): string {
  if (diff.some(({ path }) => path === '/restoredTo')) return 'restore its last backup in place';
  const shape = diff.find(({ path }) => path === '/clusterConfiguration');
  return shape === undefined
    ? `revision ${previousRevision}`
    : `cluster configuration ${String(shape.from)}`;
}

export const previewText = ({ preview }: ChangePreview): string =>
  fields([
    ...plannedFields(preview),
    ['begins', beginsWords[preview.applies]],
    ...(preview.joins ? [['joins', `${preview.joins}, which waits`] as const] : []),
    ...(preview.refusal === null
      ? []
      : [['refused now', `${preview.refusal.code}: ${preview.refusal.message}`] as const]),
    [
      'window',
      `${preview.nextMaintenanceWindow.beginsAt} to ${preview.nextMaintenanceWindow.endsAt}`,
    ],
  ]);

const beginsWords: Readonly<Record<ChangePreview['preview']['applies'], string>> = {
  NOW: 'at once',
  AFTER_OTHER_WORK: 'after the current work',
  LATER: 'at its time',
};

const applyAtText = ({ applyAt, inMaintenanceWindow }: Change): string =>
  inMaintenanceWindow ? `${applyAt} (maintenance window)` : applyAt;

export function plannedFields({
  diff,
  impact,
  priceDelta,
}: Planned): (readonly [string, string])[] {
  const { interruption, longestWaitSeconds: seconds, rollingRestart, reversible } = impact;
  const wait = seconds === null || seconds === 0 ? '' : `, at most ${seconds} s for a client`;
  return [
    ...diff.map((row) => ['change', differenceText(row)] as const),
    [
      'interruption',
      `${interruption}${wait}${rollingRestart ? ', one replica after the other' : ''}`,
    ],
    ['reversible', reversible ? 'yes' : 'no'],
    ...impact.warnings.map((warning) => ['warning', warning] as const),
    ['price', priceDelta === null ? '-' : priceText(priceDelta)],
  ];
}

export const differenceText = ({ path, from, to }: Change['diff'][number]): string =>
  `${path.slice(1)}: ${valueText(from)} -> ${valueText(to)}`;

const valueText = (value: unknown): string =>
  value === null || value === undefined
    ? '-'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

const priceText = ({ amount, currency }: { readonly amount: string; readonly currency: string }) =>
  `${amount.startsWith('-') ? amount : `+${amount}`} ${currency} a month`;
