import { relative } from 'node:path';
import type { ClusterConfig } from '../cluster/config.ts';
import { credentialsFile } from './credentials.ts';
import type { Demo } from './demo.ts';

/** The closing message: addresses, credentials, and the next three commands. */
export function ready({
  baseUrl,
  webUrl,
  bootstrapToken,
  config,
  demo,
}: {
  readonly baseUrl: string;
  /** Address for browsers. */
  readonly webUrl: string;
  /** A person who types it in the browser is the local administrator. */
  readonly bootstrapToken: string;
  readonly config: ClusterConfig;
  readonly demo: Demo;
}): string {
  return `
${demo.shown}
  API        ${baseUrl}/api/v1
  dashboard  ${webUrl}/
             sign in once with the token ${bootstrapToken}
  reference  ${webUrl}/docs/openapi
  API key    in ${near(credentialsFile(config))}

Next:
  eval "$(make env)"
  bin/ledgerhouse tb query-transfers ${demo.databaseId}
  kubectl get ldb -A
`;
}

/** The line of `make status` about the address for browsers. */
export function forwardStatus(
  forward: { readonly url: string; readonly running: boolean } | undefined,
): string {
  if (forward === undefined) return 'browser: no address yet; make up makes one';
  return forward.running
    ? `browser: ${forward.url}`
    : `browser: ${forward.url} is not forwarded; make up starts that again`;
}

/** The shortest form of a path: relative to the current folder, if it is below it. */
function near(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

export const ended = ({ data }: { readonly data: boolean }): string =>
  data
    ? 'Nothing is left.'
    : 'Nothing of it runs. Its data stay: make up goes on with them, make down DATA=1 removes them.';
