import { relative } from 'node:path';
import type { ClusterConfig } from '../cluster/config.ts';
import { credentialsFile } from './credentials.ts';
import type { Demo } from './demo.ts';

/** The closing message: addresses, credentials, and the next three commands. */
export function ready({
  baseUrl,
  config,
  demo,
}: {
  readonly baseUrl: string;
  readonly config: ClusterConfig;
  readonly demo: Demo;
}): string {
  return `
${demo.shown}
  API        ${baseUrl}/api/v1
  reference  ${baseUrl}/docs/openapi
  API key    in ${near(credentialsFile(config))}

Next:
  eval "$(make env)"
  bin/ledgerhouse tb query-transfers ${demo.databaseId}
  kubectl get ldb -A
`;
}

/** As short as it can be said here. */
function near(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

export const ended = ({ data }: { readonly data: boolean }): string =>
  data
    ? 'Nothing of it is left.'
    : 'Nothing of it runs. Its data stay: make up goes on with them, make down DATA=1 removes them.';
