/** Members' certificates while generations follow one another. */
import { expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import type { Secret } from '../../domain/kinds.ts';
import { subjectOf } from '../../test/support/operator/subjects.ts';
import {
  expiryMs,
  generationsIn,
  generationsMax,
  hasPeers,
  isDue,
  lifetimeMs,
  peerSecretsOf,
  renewAfterMs,
  type Generation,
} from './generations.ts';
import { issue } from './issue.ts';

const subject = subjectOf('Builtin', 'ha-3');
const nowMs = Date.parse('2026-11-21T10:00:00Z');
/** Numbers of the generations. Tried but unrecorded numbers are left out. */
const numbers = [1, 2, 4, 5, 6, 9];

/** The generations on record after each issue, and the Secrets. */
async function history() {
  const secrets = new Map<string, Secret>();
  const records: Generation[][] = [];
  let generations: Generation[] = [];
  for (const [index, number] of numbers.entries()) {
    const atMs = nowMs + index * renewAfterMs;
    const { secret, generation } = await issue(subject, number, generations, atMs);
    secrets.set(secret.metadata.name ?? '', secret);
    generations = [...generations, generation].slice(-generationsMax);
    records.push(generations);
  }
  return { secrets, records };
}

interface Pod {
  readonly shows: X509Certificate;
  readonly trusts: readonly X509Certificate[];
}

function podOf(secrets: ReadonlyMap<string, Secret>, generations: readonly Generation[]): Pod {
  const { trust, identity } = peerSecretsOf(subject.workload, generations) ?? {};
  const file = (name: string | undefined, key: string) =>
    secrets.get(name ?? '')?.stringData?.[key] ?? '';
  const all = file(trust, 'ca.crt').match(/-----BEGIN[^]+?-----END CERTIFICATE-----\n/g) ?? [];
  return {
    shows: new X509Certificate(file(identity, 'tls.crt')),
    trusts: all.map((pem) => new X509Certificate(pem)),
  };
}

const trusts = (one: Pod, other: Pod) =>
  one.trusts.some((ca) => other.shows.checkIssued(ca) && other.shows.verify(ca.publicKey));

test('Secrets of two lives of a database never share a name, and a record without names keeps those that it had', async () => {
  const { secret, generation } = await issue(subject, 1, [], nowMs);
  const restored = { ...subject, uid: '0f4b9d8e-1111-4d0c-9a53-3c0b0a6f7d11' };
  const again = await issue(restored, 1, [], nowMs);
  expect(again.secret.metadata.name).not.toBe(secret.metadata.name);
  expect(peerSecretsOf(subject.workload, [generation])?.trust).toBe(secret.metadata.name);
  const { secret: _, ...unnamed } = generation;
  expect(peerSecretsOf(subject.workload, [unnamed])?.trust).toBe('payments-5e1f0c-peers-1');
});

test('while a generation is rolled out, old pods and new ones trust each other', async () => {
  const { secrets, records } = await history();
  for (const [index, generations] of records.entries()) {
    const now = podOf(secrets, generations);
    const before = podOf(secrets, records[index - 1] ?? generations);
    expect([trusts(now, now), trusts(now, before), trusts(before, now)]).toEqual([
      true,
      true,
      true,
    ]);
  }
});

test('a certificate whose key got out is worth nothing three generations later', async () => {
  const { secrets, records } = await history();
  const [first] = records;
  const stolen = podOf(secrets, first ?? []);
  const able = records.map((generations) => trusts(podOf(secrets, generations), stolen));
  expect(able).toEqual([true, true, true, false, false, false]);
});

test('a certificate is not shown in the last third of its life, even where renewing is late by months', async () => {
  const { secrets, records } = await history();
  for (const [index, generations] of records.entries()) {
    const replacedMs = nowMs + (index + 1) * renewAfterMs;
    const { shows } = podOf(secrets, generations);
    expect(shows.validToDate.getTime() - replacedMs).toBeGreaterThanOrEqual(lifetimeMs / 3 - 1000);
  }
});

test('a generation is due after a third of its life, and where there is none', () => {
  const expiresAt = new Date(nowMs + lifetimeMs).toISOString();
  const generations = [{ number: 1, authority: '', expiresAt }];
  expect(isDue([], nowMs)).toBe(true);
  expect(isDue(generations, nowMs + renewAfterMs - 1)).toBe(false);
  expect(isDue(generations, nowMs + renewAfterMs)).toBe(true);
});

test('only several replicas of the built-in engine have them', () => {
  const engines = ['Builtin', 'TigerBeetle'] as const;
  const topologies = ['single', 'ha-3', 'ha-6'] as const;
  const having = engines.flatMap((engine) =>
    topologies
      .filter((topology) => hasPeers(subjectOf(engine, topology)))
      .map((topology) => [engine, topology]),
  );
  expect(having).toEqual([
    ['Builtin', 'ha-3'],
    ['Builtin', 'ha-6'],
  ]);
});

test('a Secret is immutable and owned by its database, and the fields on record contain no key', async () => {
  const { secret, generation } = await issue(subject, 3, [], nowMs);
  expect(secret).toMatchObject({
    type: 'kubernetes.io/tls',
    immutable: true,
    metadata: {
      name: 'payments-5e1f0c-peers-5e1f0c528f5b-3',
      namespace: 'org-acme',
      ownerReferences: [{ kind: 'LedgerDatabase', uid: subject.uid }],
    },
  });
  expect(JSON.stringify(generation)).not.toContain('PRIVATE');
  expect(generation).toMatchObject({ number: 3, expiresAt: '2028-11-20T10:00:00Z' });
  expect(expiryMs(generation)).toBe(nowMs + lifetimeMs);
  // The length is within the limit of the status.
  expect(generation.authority.length).toBeLessThan(1024);
});

test('a certificate has the addresses and the names of all replicas, and the database’s uid as its own', async () => {
  const six = subjectOf('Builtin', 'ha-6');
  const { secret } = await issue(six, 1, [], nowMs);
  const shown = new X509Certificate(secret.stringData?.['tls.crt'] ?? '');
  expect(shown.subject).toBe(`CN=${six.uid}`);
  for (const { index, ip } of six.endpoints) {
    expect([shown.checkIP(ip), shown.checkHost(`r${index}`)]).toEqual([ip, `r${index}`]);
  }
});

test('the annotations of a StatefulSet are read again, and nothing else', () => {
  const generations = [{ number: 1, authority: 'PEM', expiresAt: '2028-11-20T10:00:00Z' }];
  expect(generationsIn(JSON.stringify(generations))).toEqual(generations);
  const others = [
    '',
    '{}',
    '[1]',
    '[{}]',
    '[null]',
    '[{"number":1,"authority":"","expiresAt":"soon"}]',
  ];
  for (const text of others) expect(generationsIn(text)).toBeUndefined();
});
