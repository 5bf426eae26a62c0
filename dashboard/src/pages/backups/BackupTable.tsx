import type { Backup, Job } from '../../../../gen/api.ts';
import { said } from '../../lib/said.ts';
import { shownBytes, unknownFigure } from '../../lib/figures.ts';
import { Badge, Progress } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { When } from '../../ui/When.tsx';
import { BackupActions } from './BackupActions.tsx';
import {
  lackingWords,
  methodWords,
  originWords,
  proofOf,
  stateTones,
  stateWords,
  transfersWords,
} from './words.ts';

interface Props {
  readonly backups: readonly Backup[];
  /** The last jobs of the database. */
  readonly jobs: readonly Job[];
  /** Whether the service has a store for backups. */
  readonly configured: boolean;
}

export const BackupTable = ({ backups, jobs, configured }: Props) => (
  <Table
    label="Backups"
    heads={['Backup', 'State', 'Made', { title: 'Stored', end: true }, 'Test restore']}
    actions
  >
    {backups.map((backup) => (
      <tr key={backup.id}>
        <td>
          <span className={table.name}>{said(backup.name)}</span>
          <div className={table.soft}>{originWords(backup)}</div>
          {backup.method === 'FILES' && <div className={table.soft}>{methodWords(backup)}</div>}
          {backup.protected && <div className={table.soft}>protected from removal</div>}
          {backup.hold !== null && (
            <div
              className={table.soft}
            >{`held by ${said(backup.hold.by)}: ${said(backup.hold.reason)}`}</div>
          )}
          {backup.restores.length > 0 && (
            <div className={table.soft}>{`began ${countOf(backup.restores.length)}`}</div>
          )}
        </td>
        <State backup={backup} job={jobs.find(({ id }) => id === backup.jobId)} />
        <Made {...backup} />
        <td className={`${table.end} ${table.keep}`}>
          {backup.storedBytes === null ? unknownFigure : shownBytes(backup.storedBytes)}
          {backup.transfers !== null && (
            <div className={table.soft}>{transfersWords(backup.transfers)}</div>
          )}
        </td>
        <Proof backup={backup} />
        <td>
          <div className={table.acts}>
            <BackupActions backup={backup} configured={configured} />
          </div>
        </td>
      </tr>
    ))}
  </Table>
);

const countOf = (count: number): string => (count === 1 ? 'one database' : `${count} databases`);

interface StateProps {
  readonly backup: Backup;
  /** The job that makes it, if it is among the last jobs of the database. */
  readonly job: Job | undefined;
}

function State({ backup, job }: StateProps) {
  const { status, statusReason, managed, archiveId, notArchived } = backup;
  const isOnTheWay = status === 'QUEUED' || status === 'RUNNING';
  const reason = isOnTheWay ? (job?.progress.message ?? statusReason?.message) : undefined;
  return (
    <td>
      <Badge tone={stateTones[status]}>{stateWords[status]}</Badge>
      {isOnTheWay && job !== undefined && (
        <Progress percent={job.progress.percent} label={`${job.progress.percent} percent done`} />
      )}
      {reason !== undefined && <div className={table.soft}>{reason}</div>}
      {status === 'FAILED' && <div className={table.soft}>{statusReason?.message}</div>}
      {notArchived?.toOp !== undefined && (
        <div className={table.soft}>{lackingWords(notArchived)}</div>
      )}
      {!managed && archiveId !== null && status === 'SUCCEEDED' && (
        <div className={table.soft}>only in the store: its resource was deleted</div>
      )}
    </td>
  );
}

const Made = ({ completedAt, createdAt, expiresAt, status }: Backup) => (
  <td className={table.keep}>
    <When at={completedAt ?? createdAt} />
    {status === 'SUCCEEDED' && (
      <div className={`${table.soft} ${table.keep}`}>
        {expiresAt === null ? 'kept for good' : <>goes {<When at={expiresAt} />}</>}
      </div>
    )}
  </td>
);

function Proof({ backup }: { readonly backup: Backup }) {
  if (backup.status !== 'SUCCEEDED') return <td>{unknownFigure}</td>;
  const { tone, word, about } = proofOf(backup);
  const at = backup.verification?.lastPassedAt ?? null;
  return (
    <td>
      <Badge tone={tone}>{word}</Badge>
      {at !== null && (
        <div className={table.soft}>
          <When at={at} />
        </div>
      )}
      {about !== undefined && <div className={table.soft}>{about}</div>}
    </td>
  );
}
