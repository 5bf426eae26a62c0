/** The plan for a healthy database with the changes that a test makes. */
import { plan } from '../../../operator/ledgerdatabase/plan.ts';
import type { Plan } from '../../../operator/ledgerdatabase/draft.ts';
import type { PlanOptions } from '../../../operator/ledgerdatabase/subject-of.ts';
import type { Observation } from '../../../operator/ledgerdatabase/observation.ts';
import { observeCaches } from '../../../operator/ledgerdatabase/observe.ts';
import { statusOf } from '../../../operator/ledgerdatabase/status.ts';
import type { Condition } from '../../../domain/custom-resources.ts';
import { disorder, uid, type Recipe } from './disordered-database.ts';
import { cachesOf } from './simulated-cluster.ts';

type Replica = Recipe['replicas'][number];

const wellReplica: Replica = {
  service: 'right',
  claim: 'bound',
  formatted: true,
  recorded: true,
  hasFile: true,
  requestedGb: 2,
  capacityGb: 2,
  format: 'absent',
  recover: 'absent',
  pod: 'ready',
  outdated: false,
};

const well: Omit<Recipe, 'replicas'> = {
  kind: { engine: 'TigerBeetle', topology: 'ha-3' },
  changes: { size: 'lh-40', sizeGb: 2, version: 'old' },
  suspend: false,
  deletionPolicy: 'Retain',
  deleting: false,
  fills: 'no',
  held: false,
  inherits: 'no',
  known: 'all',
  knows: {
    identity: true,
    bootstrapped: true,
    endpoints: true,
    resolved: true,
    storage: true,
    active: true,
  },
  set: 'current',
  surroundings: 'there',
  certificates: 'there',
  expandable: 'yes',
};

/** What the status of a database says before it has its data. */
export const notBegun = {
  identity: true,
  bootstrapped: false,
  endpoints: true,
  resolved: true,
  storage: true,
  active: false,
} as const;

/** A healthy database but for what is said. */
export const recipeOf = (
  changes: Partial<Omit<Recipe, 'replicas'>>,
  replicas: Readonly<Record<number, Partial<Replica>>> = {},
): Recipe => ({
  ...well,
  ...changes,
  replicas: Array.from({ length: 6 }, (_, index) => ({ ...wellReplica, ...replicas[index] })),
});

interface PlanOf {
  readonly draft: Plan;
  readonly observed: Observation;
  readonly condition: (type: string) => Condition | undefined;
}

/** `replicas`: what differs from a replica that is well, by index. `seen`: what differs in what is observed. */
export function planOf(
  changes: Partial<Omit<Recipe, 'replicas'>>,
  replicas: Readonly<Record<number, Partial<Replica>>> = {},
  seen: (observed: Observation) => Partial<Observation> = () => ({}),
  options: Partial<PlanOptions> = {},
): PlanOf {
  const cluster = disorder(recipeOf(changes, replicas));
  const database = cluster.all('LedgerDatabase').find((one) => one.metadata.uid === uid);
  if (database === undefined) throw new Error('there is no database');
  const [found] = cluster.all('StorageClass');
  const usual: Observation = {
    nowMs: cluster.nowMs,
    live: true,
    database,
    catalog: cluster.all('LedgerCatalog')[0],
    ...observeCaches(cachesOf(cluster.objects), database),
    polls: undefined,
    capacity: undefined,
    storageClass: { found },
  };
  const observed = { ...usual, ...seen(usual) };
  const draft = plan(observed, { operatorNamespace: 'ledgerhouse-system', ...options });
  return {
    draft,
    observed,
    condition: (type) => statusOf(observed, draft).conditions?.find((one) => one.type === type),
  };
}
