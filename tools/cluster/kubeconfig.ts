import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Certificate } from './pki.ts';

/** Writes a kubeconfig with embedded certificates, readable by its owner only. */
export function writeKubeconfig(
  path: string,
  options: { server: string; caFile: string; client: Certificate },
): void {
  const base64 = (file: string) => readFileSync(file).toString('base64');
  const name = 'ledgerhouse';
  writeFileSync(
    path,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name,
          cluster: {
            server: options.server,
            'certificate-authority-data': base64(options.caFile),
          },
        },
      ],
      users: [
        {
          name,
          user: {
            'client-certificate-data': base64(options.client.cert),
            'client-key-data': base64(options.client.key),
          },
        },
      ],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    }),
    { mode: 0o600 },
  );
}
