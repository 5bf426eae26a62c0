import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { said } from '../../lib/said.ts';
import type { ChangeStream } from '../../../../gen/api.ts';
import { changeStreamsQuery } from '../../data/change-stream-queries.ts';
import { grouped } from '../../lib/digits.ts';
import { exactLedgerTime } from '../../lib/time.ts';
import { NowContext, useNow, useOrganization, useZone, whyNot } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Card, Facts } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { ShownSecret } from '../../ui/ShownSecret.tsx';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { Exactly, When } from '../../ui/When.tsx';
import styles from '../database/DatabaseFrame.module.css';
import { useDatabase } from '../database/use-database.ts';
import { StreamActions } from './StreamActions.tsx';
import { StreamDialog } from './StreamDialog.tsx';
import { lagWords, placeWords, stateTones, stateWords } from './words.ts';

/** The receivers of the database's change events, with the progress and the last failure of each. */
export function ChangeStreams() {
  const organization = useOrganization();
  const { database, organizationId } = useDatabase();
  const list = useQuery(changeStreamsQuery(organizationId, database.id));
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const rows = list.data ?? [];
  const now = useTimeOfAnswer(list.dataUpdatedAt);
  return (
    <Card
      title="Change streams"
      actions={
        <Button
          small
          disabledReason={whyNot(organization, 'changeDatabase')}
          onClick={() => setMaking(true)}
        >
          New stream
        </Button>
      }
    >
      <Failed read={list} />
      {list.isPending && <Skeleton lines={2} />}
      {list.isSuccess && rows.length === 0 && (
        <p className={styles.soft}>
          No stream yet. One pushes every transfer to a webhook or a broker of yours, in order, and
          goes on only when it has confirmed what it got.
        </p>
      )}
      {rows.length > 0 && (
        <NowContext value={now}>
          <ul className={styles.stack} aria-label="Change streams">
            {rows.map((stream) => (
              <Row key={stream.id} stream={stream} onSecret={setSecret} />
            ))}
          </ul>
        </NowContext>
      )}
      <StreamDialog open={making} onClose={() => setMaking(false)} onMade={setSecret} />
      <ShownSecret
        title="The stream’s secret"
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </Card>
  );
}

/** What has just happened is in the past: the time of the answer, where it is later than the one that pages share. */
function useTimeOfAnswer(answeredMs: number): Date {
  const ms = Math.max(useNow().getTime(), answeredMs);
  return useMemo(() => new Date(ms), [ms]);
}

interface RowProps {
  readonly stream: ChangeStream;
  readonly onSecret: (secret: string) => void;
}

const Row = ({ stream, onSecret }: RowProps) => (
  <li className={styles.change}>
    <div className={styles.danger}>
      <div>
        <strong>{stream.sink.url}</strong>{' '}
        <Badge tone={stateTones[stream.state]}>{stateWords[stream.state]}</Badge>
        {stream.suspended && <Badge tone="warn">suspended with all streams</Badge>}
        {stream.sink.type !== 'WEBHOOK' && <p className={styles.soft}>{placeWords(stream.sink)}</p>}
        <p className={styles.soft}>
          {stream.description !== '' && `${said(stream.description)}, `}
          <code>{stream.id}</code>
        </p>
      </div>
      <div className={styles.buttons}>
        <StreamActions stream={stream} onSecret={onSecret} />
      </div>
    </div>
    {stream.stateReason !== null && <p>{stream.stateReason}</p>}
    <Facts
      rows={[
        ['Lag', lagWords(stream)],
        ['Confirmed', <Confirmed key="confirmed" {...stream} />],
        ['Last failure', <LastFailure key="failure" {...stream} />],
        ...(stream.previousSecretUntil === null
          ? []
          : [
              [
                'Secret before',
                <span key="secret">
                  signs, too, until <Exactly at={stream.previousSecretUntil} />
                </span>,
              ] as const,
            ]),
      ]}
    />
  </li>
);

function Confirmed({ deliveredEvents, lastDeliveredAt, position, startedAfter }: ChangeStream) {
  const zone = useZone();
  const isBeginning = startedAfter === '0';
  return (
    <>
      {deliveredEvents === '1' ? 'one event' : `${grouped(deliveredEvents)} events`}
      {lastDeliveredAt !== null && (
        <>
          , <When at={lastDeliveredAt} />
        </>
      )}
      <div className={styles.soft}>
        {isBeginning ? 'from the first event' : `after ${exactLedgerTime(startedAfter, zone)}`}
        {position !== startedAfter && ` up to ${exactLedgerTime(position, zone)}`}
      </div>
    </>
  );
}

function LastFailure({ lastError, failingSince, nextAttemptAt }: ChangeStream) {
  if (lastError === null) return 'none';
  return (
    <>
      {lastError.message} <code>{lastError.code}</code>, <When at={lastError.at} />
      {failingSince !== null && (
        <div className={styles.soft}>
          failing since <Exactly at={failingSince} />
          {nextAttemptAt !== null && (
            <>
              , next attempt <When at={nextAttemptAt} />
            </>
          )}
        </div>
      )}
    </>
  );
}
