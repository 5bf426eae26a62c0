import { expect, test } from '@jest/globals';
import { newTypeId } from '../../domain/type-id.ts';
import { SigningKeys } from '../store/signing-keys.ts';
import { UnsubscribeLinks } from './unsubscribe-links.ts';

const [older, newer] = [Buffer.alloc(48, 'o'), Buffer.alloc(48, 'n')];
const links = (...keys: readonly Buffer[]) =>
  new UnsubscribeLinks(new SigningKeys(keys), 'https://ledger.example');
const whose = { organizationId: newTypeId('org'), userId: newTypeId('usr') };
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';

test('a link names its person, also after the signing key was replaced', () => {
  const link = links(older).linkFor(whose);
  expect(link).toMatch(/^https:\/\/ledger\.example\/unsubscribe\?token=[\w-]{64}$/);
  expect(links(newer, older).read(tokenOf(link))).toEqual(whose);
});

test('a forged link is nobody’s', () => {
  const token = tokenOf(links(older).linkFor(whose));
  expect(links(newer).read(token)).toBeUndefined();
  const bytes = Buffer.from(token, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const forged = Buffer.from(bytes);
    forged.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    expect(links(older).read(forged.toString('base64url'))).toBeUndefined();
  }
  for (const wrong of ['', 'x', token.slice(1), `${token}AAAA`]) {
    expect(links(older).read(wrong)).toBeUndefined();
  }
});
