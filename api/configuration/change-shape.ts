/**
 * Work of the job that changes a database's shape, its number of replicas: after a backup while it serves, its resource is replaced by
 * another one of the same name and ID, which begins with the volume of the single replica where it can, and with a last backup elsewhere
 * (docs/decisions/0127-shape-in-place.md, 0148-shape-by-replacement.md).
 */
import { sentence } from '../../base/sentence.ts';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import { uidOf } from '../../domain/names.ts';
import { mustBeOurs, type JobContext, type JobOutcome } from '../jobs/handler.ts';
import { showStep } from '../jobs/show-step.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type {
  ConfigurationChange,
  Impact,
  ReplacedResource,
} from '../model/configuration-change.ts';
import { updateConfigurationChange } from '../store/configuration-changes.ts';
import type { Database } from '../store/database-record.ts';
import { lockDatabase, updateDatabase } from '../store/databases.ts';
import { passReturn } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { readChangeWorld } from './change-world.ts';
import { forgetState, goingIn, whyGone } from './earlier-state.ts';
import { goesInPlace } from './impact.ts';
import { askForReplicas, forgetReplicas, nextReplicas } from './next-replicas.ts';
import { planChange } from './plan-change.ts';
import { replaceResource, type ReplacementNotes } from './replace-resource.ts';
import { asItIs } from './replacement-specs.ts';
import { backUpFirst, placeBefore, removeUnfinished } from './shape-backups.ts';
import { stallOf } from './shape-progress.ts';

export interface ShapeWorld {
  readonly store: Store;
  readonly writer: DatabaseWriter;
  readonly backups: BackupWriter;
  readonly catalog: () => CatalogSpec | undefined;
  readonly nowMs: () => number;
}

interface Work {
  readonly world: ShapeWorld;
  readonly context: JobContext;
  readonly change: ConfigurationChange;
  readonly database: Database;
}

const soonMs = 1_000;
const lookAgainMs = 5_000;

const again = (afterMs = soonMs): JobOutcome => ({ kind: 'again', afterMs });

/** `postponed`: puts the change off if its maintenance window has ended; nothing is replaced then. */
export async function changeShape(
  world: ShapeWorld,
  context: JobContext,
  { change, database }: { readonly change: ConfigurationChange; readonly database: Database },
  postponed: () => Promise<boolean>,
): Promise<JobOutcome | 'postponed'> {
  const work = { world, context, change, database };
  const { replaced } = change;
  if (replaced === null) {
    return (await postponed()) ? 'postponed' : prepare(work);
  }
  const { kubernetesNamespace: namespace, name, id: databaseId } = database;
  const identity = { namespace, name, databaseId };
  const { writer, backups, nowMs } = world;
  const notes = notesOf(work);
  const about = { context, notes, change, database, identity, replaced };
  return replaceResource({ writer, backups, nowMs, ...about });
}

/** Nothing was begun: what was asked for beside the database goes at once, and not only when its time is over. */
export async function leaveAsItIs(
  { writer }: Pick<ShapeWorld, 'writer'>,
  database: Database,
): Promise<void> {
  const { kubernetesNamespace: namespace, name, kubernetesUid } = database;
  const found = await writer.read({ namespace, name });
  if (found === undefined || found.metadata.uid !== kubernetesUid) return;
  await forgetReplicas(writer, found);
}

/** The change has ended, in whichever way: what was kept for it can go. */
export const keepNothing = (
  { backups }: Pick<ShapeWorld, 'backups'>,
  change: ConfigurationChange,
  { kubernetesNamespace }: Database,
): Promise<void> => forgetState(backups, placeBefore(change, kubernetesNamespace));

/** Makes sure that the change is still as it was accepted, and that the store takes backups, while the database serves. */
async function prepare(work: Work): Promise<JobOutcome> {
  const { world, context, change, database } = work;
  const catalog = world.catalog();
  // A process that has just started does not know the catalog yet.
  if (catalog === undefined) return again();
  const sources = { db: world.store.read, writer: world.writer, catalog };
  const seen = await readChangeWorld(sources, database, change.request);
  const { diff, impact } = planChange(seen, change.request);
  if (canonicalJson(diff) !== canonicalJson(change.diff) || isSlower(work, impact)) {
    const message =
      'The database was changed after this change was planned; nothing of it was begun';
    return failed('changed_meanwhile', message);
  }
  const { object } = seen;
  const inPlace = goesInPlace(change.impact);
  const topology = inPlace ? change.request.clusterConfiguration : undefined;
  const nowMs = world.nowMs();
  const ours = () => mustBeOurs(context);
  const { restoredTo } = change.request;
  if (restoredTo !== undefined) {
    const first = await world.backups.read(placeBefore(change, database.kubernetesNamespace));
    // Nobody waits for a backup and its test for nothing.
    const isNew = first === undefined;
    const gone = await (isNew
      ? whyGoneOrGoing(work)
      : whyGone({ db: world.store.read, nowMs }, database, restoredTo));
    if (gone !== undefined) return unavailable(gone);
  }
  const outcome = await backUpFirst(world, context, { change, database });
  if (outcome !== 'made') return outcome;
  const { workload, clusterId } = object.status ?? {};
  if (workload === undefined || clusterId === undefined) return again(lookAgainMs);
  const inTheWay = await removeUnfinished(world.backups, database, workload, ours);
  if (inTheWay !== undefined) return failed('backup_in_the_way', inTheWay);
  // Whatever keeps the operator from going on may be about the volume.
  const stall = inPlace ? stallOf(object) : undefined;
  if (stall !== undefined) return failed('stalled', stall);
  // Not before the backup, which may take hours: nothing keeps a place that a replica's Job had until the replica itself comes.
  if (topology !== undefined)
    await askForReplicas(world.writer, object, topology, { nowMs, mustBeOurs: ours });
  const next = topology === undefined ? undefined : nextReplicas(object, topology, nowMs);
  const why = next?.message === undefined ? '' : ` ${sentence(next.message)}`;
  if (next?.kind === 'failed')
    return failed('new_shape_not_begun', `The new replicas could not be made.${why}`);
  if (next?.kind === 'awaited') {
    const message = `The new replicas get their volumes while the database serves.${why}`;
    await showStep(context, 'back_up', 20, message);
    return again();
  }
  // Only now: it is kept from before on.
  const goes = await whyGoneOrGoing(work);
  if (goes !== undefined) return unavailable(goes);
  const spec = asItIs(object);
  const one = { uid: uidOf(object), workload, clusterId, spec };
  await begin(work, inPlace ? { ...one, inPlace } : one);
  return again(0);
}

/** Whether anything of the earlier state has gone, or began to go before it was kept. */
async function whyGoneOrGoing({ world, change, database }: Work): Promise<string | undefined> {
  const { restoredTo } = change.request;
  if (restoredTo === undefined) return undefined;
  const going = await goingIn(world.backups, database.kubernetesNamespace);
  const at = { db: world.store.read, nowMs: world.nowMs() };
  return whyGone(at, database, restoredTo, going);
}

/** From then on the resource is replaced, whatever happens: unless somebody has cancelled the job before, and never after. */
const begin = ({ context, change }: Work, replaced: ReplacedResource): Promise<void> =>
  context.write(async (write, job) => {
    if (job.status === 'CANCELING') return;
    if (job.cancellable) await passReturn(write, job.id);
    await updateConfigurationChange(write, change.id, { replaced });
  });

/** Whether the change was told as one in place and is one no more, as when somebody has begun to archive the log: it would take longer. */
const isSlower = ({ change }: Work, impact: Impact): boolean =>
  goesInPlace(change.impact) && !goesInPlace(impact);

function notesOf(work: Work): ReplacementNotes {
  const { context, change, database } = work;
  return {
    async record(replaced) {
      await context.write((write) => updateConfigurationChange(write, change.id, { replaced }));
    },
    async forget() {
      await context.write((write) =>
        updateConfigurationChange(write, change.id, { replaced: null }),
      );
    },
    async place(made) {
      await context.write(async (write) => {
        const before = await lockDatabase(write, database.id);
        const kubernetesUid = uidOf(made);
        if (before === undefined || before.kubernetesUid === kubernetesUid) return;
        await updateDatabase(write, database.id, { kubernetesUid, observed: null });
      });
    },
    mustBeOurs: () => mustBeOurs(context),
    async whyGone() {
      const gone = await whyGoneOrGoing(work);
      return gone && `${gone} Nothing was begun.`;
    },
  };
}

const failed = (code: string, message: string): JobOutcome => ({
  kind: 'failed',
  error: { code, message: sentence(message) },
  retryable: code === 'stalled',
});

const unavailable = (why: string): JobOutcome =>
  failed('moment_unavailable', `${why} Nothing was begun`);
