import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateCatalog, RecoveryWindow, RestorePreview } from '../../../../gen/api.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { catalogQuery } from '../../data/queries.ts';
import { previewQuery, windowQuery } from '../../data/recovery-queries.ts';
import { said } from '../../lib/said.ts';
import { shownBytes, shownFigure } from '../../lib/figures.ts';
import { Input } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card, Facts, useTitle } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { Exactly } from '../../ui/When.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useDatabase } from '../database/use-database.ts';
import { At, WindowFacts } from './RecoveryCard.tsx';
import { RestoreForm } from './RestoreForm.tsx';

/** A new database as this one was at a moment of its archived log. */
export function RestoreMoment() {
  const { database, organizationId } = useDatabase();
  const window = useQuery(windowQuery(organizationId, database.id));
  const catalog = useQuery(catalogQuery(organizationId));
  useTitle(`${database.name}: restore to a moment`);
  // A read that fails later takes nothing away: somebody may have filled the form.
  const failed = [window, catalog].find(({ isError, data }) => isError && data === undefined);
  if (failed !== undefined) return <Failed read={failed} />;
  if (window.data === undefined || catalog.data === undefined) return <Skeleton lines={8} />;
  return <MomentForm window={window.data} catalog={catalog.data} />;
}

interface Props {
  readonly window: RecoveryWindow;
  readonly catalog: CreateCatalog;
}

function MomentForm({ window, catalog }: Props) {
  const { database, organizationId } = useDatabase();
  const { earliest, latest } = window;
  const [time, setTime] = useState(latest?.time ?? '');
  const settled = useDebounced(time.trim());
  const preview = useQuery(previewQuery(organizationId, database.id, settled));
  const wrong = fieldErrors(preview.error)['targetTime'];
  const isShown = preview.isSuccess && !preview.isPlaceholderData && settled === time.trim();
  const isAwaited = !isShown && !preview.isError && time.trim() !== '';
  return (
    <RestoreForm
      catalog={catalog}
      from={{ databaseId: database.id, targetTime: settled }}
      notGood={
        isShown
          ? undefined
          : isAwaited
            ? 'It is not known yet whether that moment can be restored.'
            : 'Choose a moment that can be restored.'
      }
    >
      <Card title="Restore to a moment">
        <div className={form.form}>
          <p>
            A new database begins with every operation of {database.name} up to the moment, and none
            after it. It gets its own ID, cluster ID, addresses and keys; {database.name} stays as
            it is.
          </p>
          {earliest !== null && latest !== null && (
            <WindowFacts earliest={earliest} latest={latest} gaps={window.gaps} />
          )}
          <Input
            label="Moment"
            mono
            maxLength={40}
            autoComplete="off"
            value={time}
            hint="With a zone and up to nine digits after the second: 2027-01-31T12:02:59.5Z. The last operation at or before it is restored."
            error={wrong}
            onChange={(event) => setTime(event.target.value)}
          />
          {preview.isError && wrong === undefined && <Problem error={preview.error} />}
          {isAwaited && <Skeleton lines={5} />}
          {isShown && <PreviewFacts {...preview.data} />}
        </div>
      </Card>
    </RestoreForm>
  );
}

const PreviewFacts = ({
  op,
  moment,
  lastTransfer,
  backup,
  begins,
  operationsMax,
}: RestorePreview) => (
  <Facts
    rows={[
      ...(moment === null ? [] : [['Reaches', <At key="reaches" {...moment} />] as const]),
      ...(lastTransfer === null
        ? []
        : [
            [
              'Last transfer',
              <>
                <code>{lastTransfer.id}</code>, <Exactly at={lastTransfer.time} />
              </>,
            ] as const,
          ]),
      [
        'Begins with',
        <>
          {backup !== null && `${said(backup.name)}, ${shownBytes(backup.storedBytes)}: `}
          <At {...begins} />
        </>,
      ],
      [
        'Replays',
        `${op === null ? 'at most ' : ''}${shownFigure(operationsMax, 'count')} operations`,
      ],
      ['Without', 'API keys, schedules, change streams, continuous archiving and labels'],
    ]}
  />
);
