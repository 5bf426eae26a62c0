/** Volumes of a database on nodes with labels: a scheduler that knows affinity alone chooses a node for each format Job. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { V1NodeAffinity, V1NodeSelectorRequirement } from '@kubernetes/client-node';
import { zoneLabel } from '../../domain/names.ts';
import { subjectOf, withResolved } from '../../test/support/operator/subjects.ts';
import { buildFormatJob } from './format-job.ts';
import type { Place } from './pod.ts';
import type { Subject } from './subject.ts';

interface Node {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

function nodesOf(perZone: readonly number[], unlabelled = 0): readonly Node[] {
  const zones = [...perZone.entries()].flatMap(([zone, count]) =>
    Array.from({ length: count }, () => `zone-${zone}`),
  );
  return [...zones, ...Array.from({ length: unlabelled }, () => undefined)].map((zone, index) => ({
    name: `node-${index}`,
    labels: {
      'kubernetes.io/hostname': `node-${index}`,
      ...(zone === undefined ? {} : { [zoneLabel]: zone }),
    },
  }));
}

const fits =
  (node: Node) =>
  ({ key, operator, values = [] }: V1NodeSelectorRequirement): boolean => {
    const value = node.labels[key];
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'NotIn') return value === undefined || !values.includes(value);
    throw new Error(`this scheduler does not know ${operator}`);
  };

/** The node with the most points; of equals, the one that `shuffled` has first. */
function choose(affinity: V1NodeAffinity, shuffled: readonly Node[]): Node | undefined {
  const terms =
    affinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? undefined;
  const allowed = shuffled.filter(
    (node) =>
      terms === undefined || terms.some((term) => (term.matchExpressions ?? []).every(fits(node))),
  );
  const points = (node: Node) =>
    (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      .filter(({ preference }) => (preference.matchExpressions ?? []).every(fits(node)))
      .reduce((sum, { weight }) => sum + weight, 0);
  return [...allowed].sort((a, b) => points(b) - points(a))[0];
}

/** Places of the volumes of one database after another choice of nodes; ends at the first that must wait. */
function placed(subject: Subject, shuffles: readonly (readonly Node[])[]): readonly Place[] {
  const places: Place[] = [];
  for (let index = 0; index < subject.resolved.topology.replicas; index += 1) {
    const { affinity } =
      buildFormatJob({ subject, index, taken: places }).spec?.template.spec ?? {};
    const node = choose(affinity?.nodeAffinity ?? {}, shuffles[index] ?? []);
    if (node === undefined) break;
    places.push({ node: node.name, zone: node.labels[zoneLabel] });
  }
  return places;
}

const countsOf = (places: readonly Place[]) => {
  const counts = new Map<string | undefined, number>();
  for (const { zone } of places) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  return counts;
};

const subjects = fc
  .record({
    engine: fc.constantFrom('Builtin' as const, 'TigerBeetle' as const),
    topology: fc.constantFrom('ha-3' as const, 'ha-6' as const),
    spread: fc.constantFrom('Required' as const, 'Preferred' as const),
  })
  .map(({ engine, topology, spread }) => {
    const subject = subjectOf(engine, topology);
    return withResolved(subject, { placement: { ...subject.resolved.placement, spread } });
  });
const required = (subject: Subject) =>
  withResolved(subject, {
    placement: { ...subject.resolved.placement, zoneSpread: 'Required' },
  });
const shufflesOf = (nodes: readonly Node[]) =>
  fc.array(fc.shuffledSubarray([...nodes], { minLength: nodes.length }), {
    minLength: 6,
    maxLength: 6,
  });

test('replicas are spread evenly over zones that have room', () => {
  const zones = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(
      subjects,
      zones.chain((count) => shufflesOf(nodesOf(Array.from({ length: count }, () => 6)))),
      fc.boolean(),
      (subject, shuffles, strict) => {
        const wanted = strict ? required(subject) : subject;
        const places = placed(wanted, shuffles);
        const { replicas } = subject.resolved.topology;
        const existing = new Set(shuffles[0]?.map(({ labels }) => labels[zoneLabel])).size;
        const counts = countsOf(places);
        if (!strict) expect(places).toHaveLength(replicas);
        expect(counts.size).toBe(Math.min(existing, places.length));
        expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThan(2);
        expect(new Set(places.map(({ node }) => node)).size).toBe(places.length);
        if (strict && existing >= 3) expect(places).toHaveLength(replicas);
      },
    ),
  );
});

test('Required: no zone gets so many that its loss stops the database, whatever nodes are free', () => {
  fc.assert(
    fc.property(
      subjects.map(required),
      fc
        .tuple(
          fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 4 }),
          fc.integer({ min: 0, max: 3 }),
        )
        .chain(([perZone, unlabelled]) => shufflesOf(nodesOf(perZone, unlabelled))),
      (subject, shuffles) => {
        const max = subject.resolved.topology.replicas === 3 ? 1 : 2;
        for (const [zone, count] of countsOf(placed(subject, shuffles))) {
          expect(zone).toBeDefined();
          expect(count).toBeLessThanOrEqual(max);
        }
      },
    ),
  );
});

test('Preferred: a full zone keeps no replica waiting, nor do nodes without a zone', () => {
  const subject = subjectOf('TigerBeetle', 'ha-3');
  const same = (nodes: readonly Node[]) => Array.from({ length: 6 }, () => nodes);
  expect(placed(subject, same(nodesOf([3])))).toHaveLength(3);
  expect(placed(subject, same(nodesOf([], 3)))).toHaveLength(3);
  expect(countsOf(placed(subject, same(nodesOf([5, 1]))))).toEqual(
    new Map([
      ['zone-0', 2],
      ['zone-1', 1],
    ]),
  );
  expect(placed(required(subject), same(nodesOf([5, 1])))).toHaveLength(2);
  expect(placed(required(subject), same(nodesOf([], 3)))).toHaveLength(0);
});

test('zones come before nodes: a shared node in an empty zone is better than a free one in a taken zone', () => {
  const subject = subjectOf('Builtin', 'ha-3');
  const shared = withResolved(subject, {
    placement: { ...subject.resolved.placement, spread: 'Preferred' },
  });
  const nodes = Array.from({ length: 6 }, () => nodesOf([4, 1]));
  expect(countsOf(placed(shared, nodes))).toEqual(
    new Map([
      ['zone-0', 2],
      ['zone-1', 1],
    ]),
  );
});
