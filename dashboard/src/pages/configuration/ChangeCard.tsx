import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PreviewChangeRequest } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { isPassing, isProblem } from '../../data/problem-error.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox, Input } from '../../ui/Field.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Outdated, Skeleton } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { Exactly } from '../../ui/When.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useDatabase } from '../database/use-database.ts';
import styles from '../database/DatabaseFrame.module.css';
import { useChange } from './use-change.ts';
import { fieldName, impactWords, priceWords, shownValue } from './words.ts';

/** The service’s own preview: difference, impact and price of a change. `isOfRequest`: not of the one before. */
function usePreview(request: PreviewChangeRequest | undefined) {
  const { database, organizationId } = useDatabase();
  const wanted = request === undefined ? '' : JSON.stringify(request);
  const body = useDebounced(wanted);
  const preview = useQuery({
    queryKey: ['preview', organizationId, database.id, body],
    enabled: body !== '',
    queryFn: async ({ signal }) => {
      const { data } = await ask(
        organizationId,
        'post',
        '/api/v1/databases/{databaseId}/changes/preview',
        { params: { databaseId: database.id }, body: new TextEncoder().encode(body) },
        { signal },
      );
      return data.preview;
    },
    placeholderData: keepPreviousData,
  });
  return { preview, isOfRequest: body === wanted && !preview.isPlaceholderData };
}

interface Props {
  /** `undefined`: the draft differs in nothing. */
  readonly request: PreviewChangeRequest | undefined;
  readonly etag: string | undefined;
  readonly onDone: () => void;
}

/** The preview of a change, and the button that requests it. */
export function ChangeCard({ request, etag, onDone }: Props) {
  const organization = useOrganization();
  const [applyAt, setApplyAt] = useState('');
  const change = useChange(etag, onDone);
  const [inWindow, setInWindow] = useState(false);
  const time = applyAt.trim() === '' ? 'now' : applyAt.trim();
  const at = inWindow ? 'maintenance_window' : time;
  // Not while somebody types a time.
  const isWhole = inWindow || time.endsWith('Z');
  const { preview, isOfRequest } = usePreview(
    request && (isWhole ? { ...request, applyAt: at } : request),
  );
  const window = preview.data?.nextMaintenanceWindow;
  if (request === undefined) {
    return (
      <Card title="Change">
        <p className={styles.soft}>
          Nothing is different yet. Change something, and its difference, impact and price stand
          here before anything is done.
        </p>
      </Card>
    );
  }
  return (
    <Card title="Change">
      <form
        className={styles.stack}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({ request, applyAt: at });
        }}
      >
        {preview.isError && (
          <Problem
            error={preview.error}
            onRetry={isPassing(preview.error) ? () => preview.refetch() : undefined}
          />
        )}
        {preview.isPending && <Skeleton lines={3} />}
        {preview.data !== undefined && !preview.isError && (
          <Outdated when={!isOfRequest}>
            <Preview preview={preview.data} />
          </Outdated>
        )}
        <Checkbox
          label="In the maintenance window"
          checked={inWindow}
          hint={
            window !== undefined && (
              <>
                It begins from <Exactly at={window.beginsAt} /> to <Exactly at={window.endsAt} />.
              </>
            )
          }
          onChange={(event) => setInWindow(event.target.checked)}
        />
        <Input
          label="Not before"
          mono
          disabled={inWindow}
          placeholder="now, or 2026-12-01T03:00:00Z"
          value={applyAt}
          hint="Within 90 days, in UTC. While another change is applied, it waits."
          onChange={(event) => setApplyAt(event.target.value)}
        />
        {change.isError && <Problem error={change.error} />}
        {isProblem(change.error, 'precondition_failed') && (
          <p>Somebody changed it meanwhile. The page has the new state; look, and ask again.</p>
        )}
        <div className={styles.buttons}>
          <Button
            type="submit"
            look="main"
            busy={change.isPending}
            disabledReason={
              whyNot(organization, 'changeDatabase') ??
              whyNotYet(preview.error) ??
              // Nobody asks for what was not shown.
              (preview.isSuccess && isOfRequest ? undefined : 'Its effects are on their way.')
            }
          >
            {at === 'now' ? 'Apply the change' : 'Queue the change'}
          </Button>
          <Button onClick={onDone}>Leave it</Button>
        </div>
      </form>
    </Card>
  );
}

function whyNotYet(error: unknown): string | undefined {
  if (error === null) return undefined;
  return isPassing(error) ? 'Its effects could not be asked for.' : 'Correct the errors first.';
}

type ShownPreview = NonNullable<ReturnType<typeof usePreview>['preview']['data']>;

const Preview = ({
  preview: { diff, impact, priceDelta, applies, joins, refusal },
}: {
  preview: ShownPreview;
}) => (
  <>
    <Table label="Difference" heads={['Field', 'From', 'To']}>
      {diff.map(({ path, from, to }) => (
        <tr key={path}>
          <td>{fieldName(path)}</td>
          <td>{shownValue(from)}</td>
          <td>
            <strong>{shownValue(to)}</strong>
          </td>
        </tr>
      ))}
    </Table>
    <p>{impactWords(impact)}</p>
    {impact.warnings.map((warning) => (
      <p key={warning}>{warning}</p>
    ))}
    {!impact.reversible && <p>A later change cannot take it back wholly.</p>}
    <p>{priceWords(priceDelta)}</p>
    {refusal !== null && (
      <p>
        <strong>It would be refused now: {refusal.message}</strong>
      </p>
    )}
    {typeof joins === 'string' && (
      <p>It joins a change that waits. This is what both do together.</p>
    )}
    {applies === 'AFTER_OTHER_WORK' && <p>Something else is being done: it waits for that.</p>}
  </>
);
