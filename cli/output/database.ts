/** Text of databases and jobs for people. */
import type { Capacity, Database, DatabasePlan, EstimatedPrice, Job } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { fields, table } from './table.ts';

export const databasesText = (rows: readonly Database[]): string =>
  rows.length === 0
    ? '(no databases)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'HEALTH', cell: ({ health }) => health },
          { title: 'CONFIGURATION', cell: (row) => row.clusterConfiguration },
          { title: 'SIZE', cell: ({ clusterSize }) => clusterSize },
          { title: 'STORAGE', cell: (row) => `${row.selectedStorageGb} GiB ${row.storageTier}` },
          { title: 'ENGINE', cell: ({ engine }) => `${engine.name} ${engine.version}` },
          { title: 'REGION', cell: ({ region }) => region },
          { title: 'CREATED', cell: ({ createdAt }) => createdAt },
        ],
        rows,
      );

export function databaseText(database: Database): string {
  const { engine, gateway, statusReason, connection, labels } = database;
  const optional = (name: string, value: string | null) =>
    value === null ? [] : [[name, value] as const];
  return fields([
    ['id', database.id],
    ['name', database.name],
    ['status', database.status],
    ...optional('reason', statusReason && `${statusReason.code}: ${statusReason.message}`),
    ['health', database.health],
    ['gateway', `${gateway.status}${gateway.lastError === null ? '' : `: ${gateway.lastError}`}`],
    ['cluster', orDash(database.clusterId)],
    ['configuration', `${database.clusterConfiguration}, ${nodesText(database)}`],
    ['size', database.clusterSize],
    ['storage', `${database.selectedStorageGb} GiB ${database.storageTier} each`],
    [
      'engine',
      `${engine.name} ${engine.version}${engine.updateAvailable ? ` (${orDash(engine.latestVersion)} is available)` : ''}`,
    ],
    ...optional(
      'forced',
      engine.forcedUpdate &&
        `${engine.forcedUpdate.version}, in the first maintenance window after ${engine.forcedUpdate.forcedAt} and a week’s notice`,
    ),
    ['place', `${database.provider} / ${database.region}`],
    ['price', priceText(database.estimatedMonthlyPrice)],
    ['protected', database.deletionProtection ? 'yes: it cannot be deleted' : 'no'],
    [
      'labels',
      orDash(
        Object.entries(labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(', '),
      ),
    ],
    ['http', connection.httpUrl],
    ['addresses', orDash(connection.addresses.join(','))],
    ...optional('job', database.activeJobId),
    ['created', `${database.createdAt} by ${database.createdBy.display}`],
    ...optional('ready', database.readyAt),
    ...optional('deleted', database.deletedAt),
    ...optional('restorable until', database.purgeAt),
  ]);
}

const nodesText = ({ nodes, nodeCount }: Database): string =>
  `${nodes.filter(({ ready }) => ready).length} of ${nodeCount} nodes ready`;

export const priceText = (price: EstimatedPrice | null): string =>
  price === null ? '-' : `about ${price.amount} ${price.currency} a month`;

export const capacityText = (capacity: Capacity | null): string =>
  capacity === null
    ? '-'
    : `${shown(capacity.transfersMax)} transfers and ${shown(capacity.accountsMax)} accounts; for more transfers, more ${capacity.limitedBy}`;

const shown = (count: number): string => count.toLocaleString('en-US');

export function planText({ plan }: DatabasePlan): string {
  return fields([
    ['name', plan.name],
    ['configuration', `${plan.clusterConfiguration}, ${plan.nodeCount} nodes`],
    ['size', plan.clusterSize],
    ['storage', `${plan.selectedStorageGb} GiB ${plan.storageTier} each`],
    ['holds', capacityText(plan.capacity)],
    ['engine', `${plan.engine} ${plan.engineVersion}`],
    ['place', `${plan.provider} / ${plan.region}`],
    ['price', priceText(plan.estimatedMonthlyPrice)],
    ...(plan.estimatedMonthlyPrice?.lines ?? []).map(
      ({ item, amount }) => ['', `${item}: ${amount}`] as const,
    ),
    ['protected', plan.deletionProtection ? 'yes' : 'no'],
    ['catalog', plan.catalogVersion],
  ]);
}

export const jobsText = (rows: readonly Job[]): string =>
  rows.length === 0
    ? '(no jobs)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'TYPE', cell: ({ type }) => type },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'PROGRESS', cell: ({ progress }) => `${progress.percent}%`, align: 'right' },
          { title: 'CREATED', cell: ({ createdAt }) => createdAt },
          { title: 'MESSAGE', cell: ({ progress, error }) => error?.detail ?? progress.message },
        ],
        rows,
      );

export function jobText(job: Job): string {
  const optional = (name: string, value: string | null) =>
    value === null ? [] : [[name, value] as const];
  return fields([
    ['id', job.id],
    ['type', job.type],
    ['database', job.databaseId],
    ['status', job.status],
    ['progress', `${job.progress.percent}% ${job.progress.message}`.trimEnd()],
    ...optional('error', job.error && `${job.error.code}: ${job.error.detail}`),
    ['attempt', `${job.attempt} of ${job.maxAttempts}`],
    ...job.steps.map(({ name, status }) => ['step', `${status.padEnd(9)} ${name}`] as const),
    ['created', `${job.createdAt} by ${job.actor.display}`],
    ...optional('started', job.startedAt),
    ...optional('finished', job.finishedAt),
    ...optional('deadline', job.finishedAt === null ? job.deadlineAt : null),
  ]);
}
