import { written } from '../../domain/recovery.ts';
import { countedMax, recordsAfter } from '../backups/later-records.ts';
import type { Ledgers } from '../backups/ask-ledger.ts';
import type { inPlaceRestoreRoutes } from '../contract/routes/in-place-restore.ts';
import type { Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { shownJob } from '../jobs/present.ts';
import { callerOf, shownChange } from './change-handlers.ts';
import type { Accepted } from './request-change.ts';
import { planReturn, requestReturn, type ReturnServices } from './request-return.ts';

interface ReturnHandlerOptions {
  readonly services: ReturnServices;
  readonly ledgers: Ledgers;
  readonly requests: IdempotentRequests;
}

type Handlers = HandlersOf<typeof inPlaceRestoreRoutes>;

export const returnHandlers = (options: ReturnHandlerOptions): Handlers => ({
  previewInPlaceRestore: preview(options),
  restoreInPlace: restore(options),
});

const preview =
  ({ services, ledgers }: ReturnHandlerOptions): Handler<'previewInPlaceRestore'> =>
  async ({ params, body, principal, author, requestId, signal }) => {
    const { databaseId } = params;
    const caller = callerOf({ principal, author });
    const { plan, reached } = await planReturn(services, caller, databaseId, body);
    const organizationId = principal.organization.id;
    const later =
      reached &&
      (await recordsAfter(ledgers, {
        organizationId,
        databaseId,
        timestamp: reached.timestamp,
        requestId,
        signal,
      }));
    const shown = {
      databaseId,
      moment: reached === undefined ? null : written(reached),
      later: later === undefined ? null : { ...later, countedMax },
      diff: plan.diff,
      impact: plan.impact,
    };
    return { status: 200, body: { success: true, preview: shown } };
  };

const restore =
  ({ services, requests }: ReturnHandlerOptions): Handler<'restoreInPlace'> =>
  (request) =>
    requests.run<Reply>(request, async (keep) => {
      const { params, body, principal, author } = request;
      const caller = callerOf({ principal, author });
      return reply(
        await requestReturn(services, caller, params.databaseId, body, (change, made) =>
          keep(change, reply(made)),
        ),
      );
    });

type Reply = ReturnType<typeof reply>;

function reply({ change, job }: Accepted) {
  if (job === undefined) throw new Error(`${change.id} begins at once`);
  return {
    status: 202 as const,
    headers: {
      Location: `/api/v1/databases/${change.databaseId}/changes/${change.id}`,
      Link: `</api/v1/jobs/${job.id}>; rel="monitor"`,
      'Retry-After': '5',
    },
    body: { success: true as const, change: shownChange(change), job: shownJob(job) },
  };
}
