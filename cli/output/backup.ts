/** Text of backups for people. */
import type { Backup } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { fields, table } from './table.ts';

export const backupsText = (rows: readonly Backup[]): string =>
  rows.length === 0
    ? '(no backups)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'TYPE', cell: ({ type }) => type },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'TRANSFERS', cell: ({ transfers }) => orDash(transfers), align: 'right' },
          { title: 'STORED', cell: ({ storedBytes }) => orDash(storedBytes), align: 'right' },
          { title: 'VERIFIED', cell: (row) => orDash(row.verification?.lastPassedAt) },
          {
            title: 'PROTECTED',
            cell: (row) => (row.hold !== null ? 'held' : row.protected ? 'yes' : 'no'),
          },
          { title: 'EXPIRES', cell: ({ expiresAt }) => orDash(expiresAt) },
          { title: 'CREATED', cell: ({ createdAt }) => createdAt },
        ],
        rows,
      );

export function backupText(backup: Backup): string {
  const { statusReason, verification } = backup;
  const optional = (title: string, value: string | number | null | undefined) =>
    value === null || value === undefined ? [] : [[title, String(value)] as const];
  return fields([
    ['id', backup.id],
    ['name', backup.name],
    ['database', backup.databaseId],
    ['type', backup.type],
    ...(backup.method === 'FILES' ? [['method', 'data files'] as const] : []),
    ['status', backup.status],
    ...optional('reason', statusReason && `${statusReason.code}: ${statusReason.message}`),
    ...optional('schedule', backup.schedule),
    ...(backup.hold === null
      ? []
      : [
          ['held', `${backup.hold.reason} (${backup.hold.by}, ${orDash(backup.hold.at)})`] as const,
        ]),
    ['protected', backup.protected ? 'yes: nothing removes it' : 'no'],
    ['expires', orDash(backup.expiresAt)],
    ...(backup.managed || backup.archiveId === null
      ? []
      : [['resource', 'deleted in Kubernetes; the store may still have the backup'] as const]),
    ...optional('archive id', backup.archiveId),
    ...optional('engine', backup.engineVersion),
    ...optional('cluster id', backup.clusterId),
    ...(backup.files ?? []).map(
      ({ sizeBytes, sha256 }, replica) =>
        [`file ${replica}`, `${sizeBytes} bytes, sha256 ${sha256}`] as const,
    ),
    ...optional('op', backup.op),
    ...optional('timestamp', backup.clusterTimestamp),
    ...optional('state hash', backup.stateHash),
    ...optional('accounts', backup.accounts),
    ...optional('transfers', backup.transfers),
    ...optional('bytes', backup.sizeBytes),
    ...optional('stored', backup.storedBytes),
    ...optional('new', backup.newBytes),
    ...(backup.encrypted === null ? [] : [['encrypted', backup.encrypted ? 'yes' : 'no'] as const]),
    ...optional('archived ops', backup.archivedOps),
    ...optional('not archived', backup.notArchived && operationsOf(backup.notArchived)),
    [
      'verified',
      verification === null ? '-' : `${verification.status} ${verification.message}`.trimEnd(),
    ],
    ...optional('last proof', verification?.lastPassedAt),
    ...optional('last replay', verification?.lastReplayedAt),
    ...(verification === null ? [] : optional('log', logText(verification))),
    ...backup.restores.map(
      ({ databaseId, status }) => ['restored as', `${databaseId} (${status})`] as const,
    ),
    ...optional('job', backup.jobId),
    ['created', `${backup.createdAt} by ${backup.actor.display}`],
    ...optional('started', backup.startedAt),
    ...optional('completed', backup.completedAt),
    ...optional('removed', backup.removedAt),
  ]);
}

const operationsOf = ({ fromOp, toOp }: NonNullable<Backup['notArchived']>): string =>
  fromOp === null ? `operations before ${toOp}` : `operations ${fromOp} to ${toOp}`;

/** What the last test found out about the archived log; `undefined`: nothing was asked about it. */
function logText({
  replayedFrom,
  replaySeconds,
  rowsOnly,
}: NonNullable<Backup['verification']>): string | undefined {
  // A service of the release before says neither.
  if (typeof replayedFrom !== 'number')
    return rowsOnly?.message && `not replayed: ${rowsOnly.message}`;
  return `leads to it from operation ${replayedFrom}, replayed in ${orDash(replaySeconds)} s`;
}
