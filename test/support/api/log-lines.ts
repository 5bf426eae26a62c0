/** Lines in a store, as workers write them. */
import type { NewLogLine } from '../../../api/store/log-writes.ts';
import { openLogSources, writeLogLines } from '../../../api/store/log-writes.ts';
import type { Store } from '../../../api/store/store.ts';

export type GivenLine = Partial<Omit<NewLogLine, 'attributes'>> & {
  readonly attributes?: Readonly<Record<string, unknown>>;
};

let place = 0;

/** Writes lines of now, each a millisecond after the one before, unless they say otherwise. */
export async function writeLines(
  store: Store,
  databaseId: string,
  lines: readonly GivenLine[],
): Promise<void> {
  const source = { databaseId, pod: 'pod-0', container: 'engine' };
  const [expected = ''] = await openLogSources(store.read, [source]);
  place += 1;
  const now = Date.now() - lines.length;
  const batch = {
    source,
    expected,
    next: `${place}/1`,
    lines: lines.map(({ attributes = {}, ...line }, index) => ({
      at: new Date(now + index),
      level: 30,
      component: 'engine' as const,
      node: 0,
      message: '',
      ...line,
      attributes: JSON.stringify(attributes),
    })),
  };
  const written = await writeLogLines(store.read, [batch]);
  if (!written.has(batch)) throw new Error('the place was moved meanwhile');
}
