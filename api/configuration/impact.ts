/**
 * Consequences of a change for the database's users: how long clients wait, whether pods are replaced, whether it can be taken
 * back. The promised waits are upper bounds that were chosen, not measured: `test/e2e/builtin-ha.test.ts` prints a client's
 * real wait. Pure.
 */
import type { FieldChange } from '../model/event.ts';
import type { Impact } from '../model/configuration-change.ts';

/** Properties that are flags or resources of the pods: a change replaces the pods, one at a time. */
const replacesPods: ReadonlySet<string> = new Set([
  'clusterSize',
  'engineVersion',
  'parameters',
  'continuousArchiving',
]);

/** Promised waits in seconds: of one replica, whose pod is replaced, and of several, whose leader hands over. */
const promised = { single: 60, several: 20 } as const;

interface ImpactFacts {
  readonly replicas: number;
  /** Whether the database is stopped before the change. */
  readonly suspended: boolean;
  /** Whether the database can go back from the new version to the old one. */
  readonly versionReversible: boolean;
  /** Whether a change of the shape goes on with the volume of the single replica; absent: with a last backup. */
  readonly inPlace?: boolean;
  /** Further sentences about this change, besides those that its difference implies. */
  readonly warnings?: readonly string[];
}

/** Promised longest wait of a change of shape, in seconds: also if the new replicas get no place, and the earlier ones come back. */
const shapeWaitSeconds = 1_800;
/** The same in place, as long as the new replicas get a place at once. */
const inPlaceWaitSeconds = 120;

/** The same of a restore in place, which may have an hour of log to replay before it is given up. */
const returnWaitSeconds = 4_500;

/** Whether a change of the shape was planned, and told, as one that goes on with the volume. */
export const goesInPlace = ({ interruption }: Pick<Impact, 'interruption'>): boolean =>
  interruption === 'SECONDS';

export const changesShape = (diff: readonly FieldChange[]): boolean =>
  diff.some(({ path }) => memberOf(path) === 'clusterConfiguration');

/** Whether the database goes back to an earlier state of its ledger. */
export const goesBack = (diff: readonly FieldChange[]): boolean =>
  diff.some(({ path }) => memberOf(path) === 'restoredTo');

/** Whether the resource is replaced by another one. */
export const isReplacement = (diff: readonly FieldChange[]): boolean =>
  changesShape(diff) || goesBack(diff);

export const memberOf = (path: string): string => path.split('/')[1] ?? '';

export function impactOf(diff: readonly FieldChange[], facts: ImpactFacts): Impact {
  if (changesShape(diff)) return impactOfShape(facts);
  if (goesBack(diff)) return impactOfReturn(facts);
  const changes = (member: string) => diff.find(({ path }) => memberOf(path) === member);
  const stops = changes('suspended')?.to === true;
  const replaced = diff.some(({ path }) => replacesPods.has(memberOf(path)));
  const rolls = replaced && !facts.suspended && !stops;
  const several = facts.replicas > 1;
  const grows = changes('selectedStorageGb') !== undefined;
  const archiving = changes('continuousArchiving');
  const streams = changes('changeDataCapture');
  const irreversible =
    grows ||
    archiving?.to === null ||
    (changes('engineVersion') !== undefined && !facts.versionReversible);
  const warnings = [
    ...(facts.warnings ?? []),
    ...(grows ? ['Storage can grow again, and never shrinks.'] : []),
    ...(changes('engineVersion') !== undefined && !facts.versionReversible
      ? ['There is no way back to the version before.']
      : []),
    ...(archiving === undefined ? [] : archivingWarnings(archiving)),
    ...(streams === undefined ? [] : [streamWarning(streams)]),
    ...(rolls && !several
      ? [
          'The only replica is replaced: nobody can use the database until the new one has read its data file.',
        ]
      : []),
    ...(stops
      ? ['Nobody can use the database until it is resumed. Data, addresses and keys stay.']
      : []),
  ];
  return {
    interruption: stops ? 'UNTIL_RESUMED' : rolls ? 'SECONDS' : 'NONE',
    longestWaitSeconds: stops ? null : rolls ? promised[several ? 'several' : 'single'] : 0,
    rollingRestart: rolls,
    reversible: !irreversible,
    warnings,
  };
}

const impactOfShape = ({ warnings = [], inPlace = false }: ImpactFacts): Impact => ({
  interruption: inPlace ? 'SECONDS' : 'MINUTES',
  longestWaitSeconds: inPlace ? inPlaceWaitSeconds : shapeWaitSeconds,
  rollingRestart: false,
  reversible: true,
  warnings: [
    ...warnings,
    inPlace
      ? 'Nobody can use the database while the replica stops and the new ones start: about half a minute at most, and about 10 seconds more for each 10 million transfers.'
      : 'Nobody can write while the old replicas stop, the new data are backed up, and the new replicas read everything from the store of backups and start: one to two minutes, and about a minute more for each 10 million transfers.',
    'Native clients must connect anew: the addresses change, and sessions end. A request without an answer is sent again with the same IDs: nothing is executed twice. ID, name, keys and the HTTP address stay.',
    ...(inPlace
      ? inPlaceWarnings
      : [
          'The volumes of the old replicas are kept as long as those of a deleted database. If the last backup fails, or the new replicas cannot be made, the database comes back in its earlier shape.',
        ]),
  ],
});

const impactOfReturn = ({ warnings = [] }: ImpactFacts): Impact => ({
  interruption: 'MINUTES',
  longestWaitSeconds: returnWaitSeconds,
  rollingRestart: false,
  reversible: true,
  warnings: [
    ...warnings,
    'Everything that was written after that state is no longer in the database. It stays in a last backup, which is made after the last write and before anything is replaced: to undo the restore, restore that backup in place.',
    'Nobody can use the database while the replicas stop, the last backup is made, and the new replicas read the earlier state from the store of backups and start: one to two minutes, about a minute more for each 10 million transfers, and the replay of the log since the backup before that state.',
    'Native clients must connect anew: the addresses change, and sessions end. A request without an answer that is sent again with the same IDs is executed once, on the earlier state. ID, name, cluster ID, keys and the HTTP address stay.',
    'The numbers of operations go on ten million after the last one, and timestamps after its own, so that no moment is meant twice. If the log is archived, a backup is made at once; the operations until then cannot be restored one by one.',
    'All change streams are suspended: what they have delivered may not be in the database any more. Resume them when their consumers know.',
    'The volumes of the old replicas are kept as long as those of a deleted database. If the last backup fails, or the earlier state cannot be had, the database comes back as it was.',
  ],
});

const inPlaceWarnings = [
  'The volume goes on as that of the first new replica, so that no old one is kept beside it. A backup is made before, and the other replicas get their volumes: if there is no place for them within 5 minutes, nothing is stopped. Until a new replica has run, the volume can go back to a single replica; afterwards the way back is the same change in the other direction, which takes minutes.',
  'The database serves before the other replicas have everything: they fetch it from the first one, about a minute for each 10 million transfers. Until then only the first volume has the data from before the change.',
];

const streamWarning = ({ to }: FieldChange): string =>
  (to as { readonly suspended: boolean }).suspended
    ? 'All change streams are suspended until they are resumed. Nothing is lost: the ledger keeps every event, and each stream goes on where it was. Imported transfers stay refused while a stream is on.'
    : 'Each change stream that is on goes on where it was, with everything that has waited.';

/** Whether the log is archived after a change, and was not before, or in another time. */
export const asksToArchive = (diff: readonly FieldChange[]): boolean =>
  diff.some(({ path, to }) => memberOf(path) === 'continuousArchiving' && to !== null);

/** Costs and effects of continuous archiving, and the losses without it. */
function archivingWarnings({ from, to }: FieldChange): readonly string[] {
  if (to === null) {
    return [
      'Operations from then on can be restored from backups only, also after archiving is switched on again. Archived operations can be restored as before.',
    ];
  }
  if (from !== null) return [];
  return [
    'Any moment from then on can be restored; earlier moments only from backups. If the database already has data, a backup is made at once.',
    'The log takes 15 to 110 bytes of the store for each transfer. Only the log before a backup that is old enough is deleted: let a schedule make a backup a day.',
  ];
}
