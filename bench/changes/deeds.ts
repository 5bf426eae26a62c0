/** The changes that are measured. */
import type { ShapeStep } from '../../api/configuration/change-jobs.ts';

/** Pods of the service; the database's engines; or its Jobs, which make backups and data files. */
export type Part =
  | 'ledgerhouse-api'
  | 'ledgerhouse-worker'
  | 'ledgerhouse-operator'
  | 'ledgerhouse-postgres'
  | 'ledgerhouse-s3'
  | 'engine'
  | 'job';

interface Kill {
  readonly part: Part;
  /** The step of the job that has begun by then; if there is none, as soon as the change is under way. */
  readonly at?: ShapeStep;
}

export interface Deed {
  readonly name: string;
  readonly body: object;
  readonly kills?: readonly Kill[];
  /** Whether its log is archived before and afterwards: there must be no gap. */
  readonly archived?: true;
}

const parameter = (limitConnections: string) => ({ parameters: { limitConnections } });
const shape = (clusterConfiguration: string) => ({ clusterConfiguration });

/** Changes of a single replica. The two versions are reached one after the other. */
export const deedsOfOne = ([version, later]: readonly [string, string]): readonly Deed[] => [
  { name: 'size up', body: { clusterSize: 'lh-10' } },
  { name: 'size down', body: { clusterSize: 'lh-5' } },
  { name: 'storage up', body: { selectedStorageGb: 2 } },
  { name: 'a parameter', body: parameter('300') },
  { name: 'an upgrade', body: { engineVersion: version } },
  killed('size up', { clusterSize: 'lh-10' }, 'ledgerhouse-api'),
  killed('size down', { clusterSize: 'lh-5' }, 'ledgerhouse-worker'),
  killed('a parameter', parameter('301'), 'ledgerhouse-operator'),
  killed('a parameter', parameter('302'), 'engine'),
  killed('storage up', { selectedStorageGb: 3 }, 'ledgerhouse-operator'),
  killed('an upgrade', { engineVersion: later }, 'engine', 'ledgerhouse-worker'),
];

/** From one replica to three and back, twice, the second time with kills in every step; between them changes of the three. */
export const deedsOfShape: readonly Deed[] = [
  { name: 'one replica to three', body: shape('ha-3') },
  { name: 'three replicas: size up', body: { clusterSize: 'lh-10' } },
  killed('three replicas: a parameter', parameter('303'), 'ledgerhouse-operator'),
  { name: 'three replicas to one', body: shape('single') },
  {
    name: 'one replica to three, all parts killed',
    body: shape('ha-3'),
    kills: [
      { at: 'back_up', part: 'ledgerhouse-worker' },
      { at: 'stop_replica', part: 'ledgerhouse-operator' },
      { at: 'prepare_volumes', part: 'ledgerhouse-api' },
      { at: 'start_replicas', part: 'engine' },
    ],
  },
  {
    name: 'three replicas to one, all parts killed',
    body: shape('single'),
    kills: [
      { at: 'back_up', part: 'ledgerhouse-api' },
      { at: 'last_backup', part: 'ledgerhouse-worker' },
      { at: 'prepare_volumes', part: 'ledgerhouse-operator' },
      { at: 'start_replicas', part: 'engine' },
    ],
  },
];

/** From one replica, whose log is archived, to six and back, while Jobs and what they need are killed. */
export const deedsOfSix: readonly Deed[] = [
  { name: 'archiving on', body: { continuousArchiving: { rpoSeconds: 5 } }, archived: true },
  {
    name: 'one replica to six, Jobs and engines killed',
    body: shape('ha-6'),
    archived: true,
    kills: [
      { at: 'last_backup', part: 'job' },
      { at: 'prepare_volumes', part: 'job' },
      { at: 'start_replicas', part: 'engine' },
    ],
  },
  { name: 'six replicas: archiving off', body: { continuousArchiving: null } },
  {
    name: 'six replicas to one, S3 server and PostgreSQL killed',
    body: shape('single'),
    kills: [
      { at: 'last_backup', part: 'ledgerhouse-s3' },
      { at: 'prepare_volumes', part: 'ledgerhouse-postgres' },
    ],
  },
];

function killed(what: string, body: object, ...parts: readonly Part[]): Deed {
  const names = parts.map((part) => part.replace('ledgerhouse-', '')).join(' and ');
  return { name: `${what}, ${names} killed`, body, kills: parts.map((part) => ({ part })) };
}

export const changesShape = ({ body }: Deed): boolean => 'clusterConfiguration' in body;
