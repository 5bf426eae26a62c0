import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BackupSchedule } from '../../../../gen/api.ts';
import { schedulesQuery } from '../../data/backup-queries.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { Exactly, When } from '../../ui/When.tsx';
import { useDatabase } from '../database/use-database.ts';
import { ScheduleActions } from './ScheduleActions.tsx';
import { ScheduleDialog } from './ScheduleDialog.tsx';
import { keepWords, scheduleTones, scheduleWords } from './words.ts';

interface Props {
  /** Why no schedule can be made; `undefined`: one can. */
  readonly refused: string | undefined;
}

/** Schedules: when the next backups are due, and which backups are kept. */
export function Schedules({ refused }: Props) {
  const { database, organizationId } = useDatabase();
  const list = useQuery(schedulesQuery(organizationId, database.id));
  const [making, setMaking] = useState(false);
  const rows = list.data ?? [];
  return (
    <Card
      title="By the clock"
      actions={
        <Button small disabledReason={refused} onClick={() => setMaking(true)}>
          New schedule
        </Button>
      }
    >
      <Failed read={list} />
      {list.isPending && <Skeleton lines={2} />}
      {list.isSuccess && rows.length === 0 && (
        <p className={table.soft}>
          No schedule yet. One makes backups at its times, keeps those that you choose, and has them
          tested.
        </p>
      )}
      {rows.length > 0 && (
        <Table
          label="Schedules"
          heads={['Schedule', 'State', 'Next', 'Keeps', 'Last good']}
          actions
        >
          {rows.map((schedule) => (
            <Row key={schedule.id} schedule={schedule} />
          ))}
        </Table>
      )}
      <ScheduleDialog open={making} onClose={() => setMaking(false)} />
    </Card>
  );
}

function Row({ schedule }: { readonly schedule: BackupSchedule }) {
  const { status, statusReason, nextRuns, lastSucceededAt } = schedule;
  return (
    <tr>
      <td>
        <span className={table.name}>{schedule.name}</span>
        <div className={table.soft}>
          <code>{schedule.schedule}</code> {schedule.timeZone}
        </div>
      </td>
      <td>
        <Badge tone={scheduleTones[status]}>{scheduleWords[status]}</Badge>
        {statusReason !== null && <div className={table.soft}>{statusReason.message}</div>}
      </td>
      <td className={table.keep}>
        {nextRuns.length === 0 && '–'}
        {nextRuns.map((at, index) => (
          <div key={at} className={index === 0 ? '' : table.soft}>
            <Exactly at={at} />
          </div>
        ))}
      </td>
      <td className={table.keep}>
        {keepWords(schedule.keep).map((words) => (
          <div key={words}>{words}</div>
        ))}
        <div className={table.soft}>tested {schedule.verify.toLowerCase()}</div>
      </td>
      <td className={table.keep}>
        {lastSucceededAt === null ? 'none yet' : <When at={lastSucceededAt} />}
      </td>
      <td>
        <div className={table.acts}>
          <ScheduleActions schedule={schedule} />
        </div>
      </td>
    </tr>
  );
}
