/** The plugin's text about backups, from objects of the API server. */
import { fields, table } from '../../cli/output/table.ts';
import { orDash } from '../../cli/output/answer.ts';
import { windowText } from '../../cli/output/recovery.ts';
import { ConditionType } from '../../domain/conditions.ts';
import type { DatabaseObject, OneBackupObject } from '../../domain/custom-resources.ts';
import type { Target } from '../../domain/recovery.ts';

export const saidBy = ({ status }: OneBackupObject, condition: 'Succeeded' | 'Verified') =>
  status?.conditions?.find(({ type }) => type === condition);

const keptBy = ({ spec }: OneBackupObject): string =>
  spec.hold !== undefined ? 'held' : spec.protected === true ? 'yes' : 'no';

export const backupsText = (backups: readonly OneBackupObject[]): string =>
  backups.length === 0
    ? '(no backups)'
    : table(
        [
          { title: 'NAME', cell: ({ metadata }) => metadata.name },
          { title: 'DATABASE', cell: ({ spec }) => spec.database },
          { title: 'TYPE', cell: ({ spec }) => orDash(spec.type) },
          { title: 'STATUS', cell: (one) => orDash(saidBy(one, 'Succeeded')?.reason) },
          {
            title: 'TRANSFERS',
            cell: ({ status }) => orDash(status?.transfers),
            align: 'right',
          },
          { title: 'STORED', cell: ({ status }) => orDash(status?.storedBytes), align: 'right' },
          { title: 'VERIFIED', cell: ({ status }) => orDash(status?.lastVerifiedAt) },
          { title: 'PROTECTED', cell: keptBy },
          { title: 'EXPIRES', cell: ({ spec }) => orDash(spec.expiresAt) },
          { title: 'CREATED', cell: ({ metadata }) => orDash(metadata.creationTimestamp) },
        ],
        backups,
      ).trimEnd();

export function backupText(backup: OneBackupObject): string {
  const { metadata, spec, status = {} } = backup;
  const optional = (title: string, value: string | number | boolean | undefined) =>
    value === undefined ? [] : [[title, String(value)] as const];
  const conditions = (status.conditions ?? []).map(
    ({ type, status: value, reason, message }) =>
      [type, `${value}  ${reason}: ${message}`] as const,
  );
  return fields([
    ['name', `${metadata.namespace}/${metadata.name}`],
    ['database', `${spec.database} (${status.databaseId ?? 'ID not known yet'})`],
    ...optional('backup ID', status.backupId),
    ...optional('type', spec.type),
    ...optional('method', spec.method),
    ...conditions,
    ...optional('operation', status.op),
    ...optional('state hash', status.stateHash),
    ...optional('accounts', status.accounts),
    ...optional('transfers', status.transfers),
    ...optional('bytes', status.sizeBytes),
    ...optional('stored bytes', status.storedBytes),
    ...optional('new bytes', status.newBytes),
    ...optional('encrypted', status.encrypted),
    ...optional('locked until', status.lockedUntil),
    ...optional('last verified', status.lastVerifiedAt),
    ...optional('test seconds', status.verification?.seconds),
    ['protected', keptBy(backup)],
    ...(spec.hold === undefined
      ? []
      : [['hold', `${spec.hold.reason}, by ${spec.hold.by}, ${spec.hold.at}`] as const]),
    ...optional('expires', spec.expiresAt),
    ...optional('completed', status.completedAt),
  ]).trimEnd();
}

/** The moments that a database can be restored to, as its status has them. */
export function windowOf({ spec, status = {} }: DatabaseObject): string {
  const { enabled = false, rpoSeconds } = spec.backup?.continuous ?? {};
  const said = status.conditions?.find(({ type }) => type === ConditionType.ContinuousArchiving);
  const { earliest, latest, gaps = [] } = status.recovery ?? {};
  return windowText({
    databaseId: status.databaseId ?? '',
    archiving: enabled
      ? {
          rpoSeconds: rpoSeconds ?? 5,
          healthy: said === undefined || said.status === 'Unknown' ? null : said.status === 'True',
          state: said?.reason ?? null,
        }
      : null,
    earliest: earliest ?? null,
    latest: latest ?? null,
    gaps: [...gaps],
  }).trimEnd();
}

/** The part of a manifest that makes a new database begin at the moment. */
export function restoreText(databaseId: string, target: Target): string {
  const moment =
    target.kind === 'op'
      ? `targetOp: ${target.op}`
      : `targetTimestamp: '${String(target.timestamp)}'`;
  return `\nA new database begins there with\n  spec:\n    bootstrap: { backup: { databaseId: ${databaseId}, ${moment} } }`;
}
