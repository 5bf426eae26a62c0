/** Settings of a database's pods: those of the catalog's region, with the spec's settings added or put over them. */
import { digestOf } from '../../base/digest.ts';
import type { CatalogSpec, DatabaseSpec, Resolved } from '../custom-resources.ts';
import { problem, type Problem } from './problem.ts';

type Region = CatalogSpec['providers'][number]['regions'][number];
type Asked = DatabaseSpec['pods'];
type Settings = NonNullable<Resolved['pods']>;
type Toleration = NonNullable<Settings['tolerations']>[number];

interface PodsRequest {
  readonly asked: Asked;
  readonly before: Settings | undefined;
  /** Whether to use the region's current settings: the database is new, or somebody has asked for them. */
  readonly anew: boolean;
  readonly catalog: CatalogSpec;
  readonly placement: NonNullable<Resolved['placement']>;
}

/** Returns the earlier settings while the spec asks for the same; `undefined` if there are none. */
export function resolvePods(request: PodsRequest): Settings | undefined | readonly Problem[] {
  const { asked, before, anew, catalog, placement } = request;
  const digest = asked === undefined ? undefined : digestOf(asked);
  if (!anew && before?.asked === digest) return before;
  const region = catalog.providers
    .find(({ id }) => id === placement.provider)
    ?.regions.find(({ id }) => id === placement.region);
  if (region === undefined) {
    const sentence = `the catalog no longer has the region "${placement.region}" of provider ${placement.provider}, whose settings the pods need`;
    return [problem('spec.pods', 'UnknownRegion', sentence)];
  }
  const problems = refusals(region, asked, placement);
  if (problems.length > 0) return problems;
  const settings = merged(region.pods ?? {}, asked ?? {});
  const all: Settings = { ...(digest === undefined ? {} : { asked: digest }), ...settings };
  return Object.keys(all).length === 0 ? undefined : all;
}

function refusals(
  { pods }: Region,
  asked: Asked,
  placement: PodsRequest['placement'],
): readonly Problem[] {
  const problems: Problem[] = [];
  const keys = pods?.tolerationKeys ?? [];
  const foreign = (asked?.tolerations ?? []).find(({ key }) => !keys.includes(key));
  if (foreign !== undefined) {
    const sentence = `databases of region ${placement.region} may not tolerate the taint "${foreign.key}"; the catalog lists the allowed ones in tolerationKeys`;
    problems.push(problem('spec.pods.tolerations', 'PodSettingRefused', sentence, keys));
  }
  if (asked?.qosClass === 'Guaranteed' && (placement.cpuRequestPercent ?? 100) < 100) {
    const sentence = `region ${placement.region} promises only ${placement.cpuRequestPercent} % of a size's processors, so pods cannot be Guaranteed`;
    problems.push(problem('spec.pods.qosClass', 'PodSettingRefused', sentence, ['Burstable']));
  }
  const required = placement.nodeSelector?.['kubernetes.io/arch'];
  if (required !== undefined && (asked?.architecture ?? required) !== required) {
    const sentence = `the nodes of region ${placement.region} have the architecture ${required}`;
    problems.push(problem('spec.pods.architecture', 'PodSettingRefused', sentence));
  }
  return problems;
}

function merged(region: NonNullable<Region['pods']>, asked: NonNullable<Asked>): Settings {
  const tolerations = united<Toleration>(region.tolerations, asked.tolerations);
  const imagePullSecrets = united<string>(region.imagePullSecrets, asked.imagePullSecrets);
  // Administrators count on what they say of a region's pods, for costs or policies: a tenant cannot say otherwise.
  const labels = { ...asked.labels, ...region.labels };
  const annotations = { ...asked.annotations, ...region.annotations };
  const architecture = asked.architecture ?? region.architecture;
  const isGuaranteed = (asked.qosClass ?? region.qosClass) === 'Guaranteed';
  const excludeFromMesh = asked.excludeFromMesh ?? region.excludeFromMesh ?? false;
  const { priorityClassName } = region;
  return {
    ...(tolerations.length === 0 ? {} : { tolerations }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(architecture === undefined ? {} : { architecture }),
    ...(isGuaranteed ? { qosClass: 'Guaranteed' as const } : {}),
    ...(excludeFromMesh ? { excludeFromMesh } : {}),
  };
}

/** The elements of both lists, each once. */
const united = <T>(first: readonly T[] = [], second: readonly T[] = []): readonly T[] => [
  ...new Map([...first, ...second].map((one) => [digestOf(one), one])).values(),
];
