import { expect, test } from '@jest/globals';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import type { CatalogSpec } from '../custom-resources.ts';
import { resolve } from './resolve.ts';
import { catalogAt, nextDateMs } from './versions.ts';

const at = (time: string) => Date.parse(`2030-01-01T${time}:00Z`);
const catalog: CatalogSpec = {
  ...catalogSpec(),
  engines: catalogSpec().engines.map((engine) => ({
    ...engine,
    versions: engine.versions.map((row) =>
      row.version === '0.2.0'
        ? {
            ...row,
            availableFrom: '2030-01-01T10:00:00Z',
            deprecatedAt: '2030-01-01T12:00:00+01:00',
          }
        : row,
    ),
  })),
};

/** Whether a new database can have 0.2.0; otherwise the reason. */
function chosen(nowMs: number, leewayMs = 0): true | string | undefined {
  const result = resolve(catalogAt(catalog, nowMs, leewayMs), { version: '0.2.0' });
  return result.ok || result.problems[0]?.message;
}

test('a version can be chosen from its date until it is deprecated', () => {
  expect(chosen(at('09:59'))).toContain('can be chosen from 2030-01-01T10:00:00Z on');
  expect([chosen(at('10:00')), chosen(at('10:59'))]).toEqual([true, true]);
  expect(chosen(at('11:00'))).toContain('is deprecated');
});

test('a check that must not refuse what another clock has accepted is generous at both ends', () => {
  const leewayMs = 5 * 60_000;
  expect([chosen(at('09:55'), leewayMs), chosen(at('11:04'), leewayMs)]).toEqual([true, true]);
  expect([chosen(at('09:54'), leewayMs), chosen(at('11:05'), leewayMs)]).not.toContain(true);
});

test('a database that runs a version keeps it, although its date was moved', () => {
  const { engine, ...rest } = resolvedWith('0.2.0');
  const previous = { resolved: { engine, ...rest }, storageGb: 1, activeVersion: '0.2.0' };
  const result = resolve(catalogAt(catalog, at('09:00')), { version: '0.2.0' }, previous);
  expect(result).toMatchObject({ ok: true, resolved: { engine: { version: '0.2.0' } } });
});

function resolvedWith(version: string) {
  const result = resolve(catalogAt(catalog, at('10:00')), { version });
  if (!result.ok) throw new Error('it resolves');
  return result.resolved;
}

test('the next date is that of a version that has one', () => {
  expect(nextDateMs(catalog, at('09:00'))).toBe(3_600_000);
  expect(nextDateMs(catalog, at('10:00'))).toBe(3_600_000);
  expect(nextDateMs(catalog, at('11:00'))).toBeUndefined();
});
