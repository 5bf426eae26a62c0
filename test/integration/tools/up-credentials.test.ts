import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadCredentials, saveCredentials } from '../../../tools/up/credentials.ts';

const credentials = { baseUrl: 'http://localhost', organizationId: 'org_1', apiKey: 'lhk_1' };

test('nobody else can read the API key, even if the file was readable before', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-credentials-'));
  try {
    const file = join(folder, 'credentials.json');
    writeFileSync(file, '{}', { mode: 0o644 });
    saveCredentials(file, credentials);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(loadCredentials(file)).toEqual(credentials);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
