import type { TopologyName } from '../custom-resources.ts';

/** Number of replicas of each topology. The catalog's definition accepts no other pairs. */
export const replicasOf: Readonly<Record<TopologyName, 1 | 3 | 6>> = {
  single: 1,
  'ha-3': 3,
  'ha-6': 6,
};
