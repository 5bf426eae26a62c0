/** Certificates that the operator made, in a folder laid out like one that a kubelet mounts. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issue } from '../../operator/certificates/issue.ts';
import { wantedCertificates as wantedBy } from '../../operator/certificates/volume.ts';
import { subjectOf } from '../../test/support/operator/subjects.ts';
import { wantedCertificatesVariable } from '../../domain/names.ts';
import { examineCertificates, wantedCertificates } from './certificates.ts';

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const subject = subjectOf('Builtin', 'ha-3');
let folder = '';
let life: Awaited<ReturnType<typeof lifeOf>>;
let formerLife: typeof life;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-certificates-'));
  [life, formerLife] = [await lifeOf(), await lifeOf()];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Makes two generations, and the environment of a pod that has them. */
async function lifeOf() {
  const first = await issue(subject, 1, [], nowMs);
  const second = await issue(subject, 2, [first.generation], nowMs);
  const peerCertificates = [first.generation, second.generation];
  const told = wantedBy({ ...subject, peerCertificates });
  return { first, second, wanted: wantedCertificates({ [wantedCertificatesVariable]: told }) };
}

function mount(trust: typeof life.first, identity: typeof life.first): void {
  writeFileSync(join(folder, 'ca.crt'), trust.secret.stringData?.['ca.crt'] ?? '');
  writeFileSync(join(folder, 'tls.crt'), identity.secret.stringData?.['tls.crt'] ?? '');
}

test('a member starts with the certificates that its pod was made for', async () => {
  mount(life.second, life.first);
  expect(life.wanted).toBeDefined();
  expect(await examineCertificates(folder, life.wanted)).toBeUndefined();
});

test('a pod that was given what a Secret of a former life held is told so, and its member does not start', async () => {
  mount(formerLife.second, formerLife.first);
  expect(await examineCertificates(folder, life.wanted)).toMatchObject({
    reason: 'CertificatesForeign',
    message: expect.stringContaining('ca.crt'),
  });
  mount(life.second, formerLife.first);
  expect(await examineCertificates(folder, life.wanted)).toMatchObject({
    reason: 'CertificatesForeign',
    message: expect.stringContaining('tls.crt'),
  });
  writeFileSync(join(folder, 'tls.crt'), 'no certificate');
  expect(await examineCertificates(folder, life.wanted)).toMatchObject({
    reason: 'CertificatesForeign',
  });
});

test('an operator that does not say which ones it made is taken at its word', async () => {
  mount(formerLife.second, formerLife.first);
  expect(await examineCertificates(folder, wantedCertificates({}))).toBeUndefined();
});
