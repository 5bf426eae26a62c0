/** The applied template of the pods, noted on the StatefulSet itself: a change of the template does not change the note. */
import { annotations } from '../../domain/names.ts';
import type { StatefulSet } from '../../domain/kinds.ts';
import { canonical } from '../../base/digest.ts';

type Template = NonNullable<StatefulSet['spec']>['template'];

/** Adds the note. `refresh` is the word with which somebody has asked for the newest template. */
export const withTemplateNoted = (set: StatefulSet, refresh?: string): StatefulSet => ({
  ...set,
  metadata: {
    ...set.metadata,
    annotations: {
      ...set.metadata.annotations,
      [annotations.appliedTemplate]: canonical(set.spec?.template),
      ...(refresh === undefined ? {} : { [annotations.refreshTemplate]: refresh }),
    },
  },
});

/** Reads the note. Returns `undefined` if it is absent or holds no template. */
export function notedTemplate({ metadata }: StatefulSet): Template | undefined {
  try {
    const noted: unknown = JSON.parse(metadata.annotations?.[annotations.appliedTemplate] ?? '');
    const isTemplate = typeof noted === 'object' && noted !== null && 'spec' in noted;
    return isTemplate ? (noted as Template) : undefined;
  } catch {
    return undefined;
  }
}
