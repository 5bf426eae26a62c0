/** Certificates of a database's replicas as their pods have them: `ca.crt`, `tls.crt` and `tls.key` in a folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, type Authority } from '../../../operator/certificates/authority.ts';

export function newAuthority(name: string): Promise<Authority> {
  const hourMs = 60 * 60_000;
  const notBefore = new Date(Date.now() - hourMs);
  return createAuthority(name, { notBefore, notAfter: new Date(Date.now() + 24 * hourMs) });
}

/** `trusted`: PEM of other authorities that whoever has these files believes, besides the signing one. */
export async function writeCertificates(
  folder: string,
  { authority, name, trusted = [] }: { authority: Authority; name: string; trusted?: string[] },
): Promise<void> {
  const { certificate, key } = await authority.sign(name, ['r0']);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ca.crt'), [...trusted, authority.certificate].join(''));
  writeFileSync(join(folder, 'tls.crt'), certificate);
  writeFileSync(join(folder, 'tls.key'), key);
}
