/** Writes the API credentials to a file with mode 0600. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError, type ClusterConfig } from '../cluster/config.ts';

export interface Credentials {
  readonly baseUrl: string;
  readonly organizationId: string;
  readonly apiKey: string;
}

export const credentialsFile = (config: ClusterConfig): string =>
  join(config.stateFolder, 'credentials.json');

export function loadCredentials(file: string): Credentials | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : undefined;
}

/** Puts a new file in the place of an earlier one, whose mode may be another: a mode is set only when a file is made. */
export function saveCredentials(file: string, credentials: Credentials): void {
  const made = `${file}.new`;
  rmSync(made, { force: true });
  writeFileSync(made, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(made, file);
}

export function readCredentials(config: ClusterConfig): Credentials {
  const found = loadCredentials(credentialsFile(config));
  if (found === undefined) throw new ClusterError('there is no API key yet; run make up');
  return found;
}
