/** The certificates are parsed by another library than the one that wrote them. */
import { expect, test } from '@jest/globals';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createAuthority } from './authority.ts';

const validity = {
  notBefore: new Date('2026-11-21T10:00:00Z'),
  // From 2050 on, a time is encoded in another form.
  notAfter: new Date('2051-02-03T04:05:06Z'),
};
const hosts = ['r0', '10.96.0.7', 'fd00::12', '::1', '2001:db8:0:1:2:3:4:5', '::ffff:10.1.2.3'];

test('an authority’s certificates serve both ends of a connection, under all of their names', async () => {
  const authority = await createAuthority('some database 1', validity);
  const { certificate, key } = await authority.sign('some database', hosts);
  const issuer = new X509Certificate(authority.certificate);
  const leaf = new X509Certificate(certificate);
  expect(leaf.checkIssued(issuer)).toBe(true);
  expect(leaf.verify(issuer.publicKey)).toBe(true);
  expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(leaf.subject).toBe('CN=some database');
  expect(leaf.issuer).toBe('CN=some database 1');
  // serverAuth and clientAuth.
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  for (const host of hosts) {
    const found = /[.:]/.test(host) ? leaf.checkIP(host) : leaf.checkHost(host);
    expect([host, found]).toEqual([host, host]);
  }
  expect(leaf.checkIP('10.96.0.8')).toBeUndefined();
  expect(leaf.checkHost('r1')).toBeUndefined();
});

test('an authority may sign and the certificate may not', async () => {
  const authority = await createAuthority('some database 1', validity);
  const { certificate } = await authority.sign('some database', ['r0']);
  expect(new X509Certificate(authority.certificate).ca).toBe(true);
  expect(new X509Certificate(certificate).ca).toBe(false);
});

test('both are valid for the time that was asked for', async () => {
  const authority = await createAuthority('some database 1', validity);
  const { certificate } = await authority.sign('some database', ['r0']);
  for (const pem of [authority.certificate, certificate]) {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    expect([validFromDate, validToDate]).toEqual([validity.notBefore, validity.notAfter]);
  }
});

test('no two have a key or a serial number in common', async () => {
  const authorities = await Promise.all(
    Array.from({ length: 20 }, () => createAuthority('same', validity)),
  );
  const signed = await Promise.all(authorities.map((one) => one.sign('same', ['r0'])));
  const all = [...authorities, ...signed].map((one) => new X509Certificate(one.certificate));
  const distinct = (values: readonly string[]) => new Set(values).size;
  expect(distinct(all.map((one) => one.serialNumber))).toBe(40);
  expect(
    distinct(all.map((one) => String(one.publicKey.export({ format: 'pem', type: 'spki' })))),
  ).toBe(40);
  for (const { serialNumber } of all) expect(serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
});
