/** The same request for other ways of asking: the command line, curl, a Kubernetes resource. The key stays a variable. */
import type { CreateDatabaseRequest } from '../../../../gen/api.ts';
import { shellWord } from '../../lib/shell-word.ts';

export function asCli(request: CreateDatabaseRequest): string {
  const flags = [
    ['provider', request.provider],
    ['region', request.region],
    ['cluster-configuration', request.clusterConfiguration],
    ['cluster-size', request.clusterSize],
    ['storage-tier', request.storageTier],
    ['selected-storage-gb', request.selectedStorageGb?.toString()],
    ['engine', request.engine],
    ['engine-version', request.engineVersion],
    ['archive-within-seconds', request.continuousArchiving?.rpoSeconds?.toString()],
    ...Object.entries(request.labels ?? {}).map(([key, value]) => ['label', `${key}=${value}`]),
  ].flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${shellWord(value)}`]));
  const protection =
    request.deletionProtection === undefined
      ? []
      : [request.deletionProtection ? '--deletion-protection' : '--no-deletion-protection'];
  const parts = [
    `ledgerhouse databases create ${shellWord(request.name)}`,
    ...flags,
    ...protection,
  ];
  return parts.join(' \\\n  ');
}

export function asCurl(origin: string, request: CreateDatabaseRequest): string {
  return [
    `curl -X POST ${shellWord(`${origin}/api/v1/databases`)}`,
    '-H "x-api-key: $LEDGERHOUSE_API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${shellWord(JSON.stringify(request))}`,
  ].join(' \\\n  ');
}

/** Every JSON string is a YAML string. */
const quoted = (text: string): string => JSON.stringify(text);

export function asYaml(request: CreateDatabaseRequest, namespace: string): string {
  const lines = [
    'apiVersion: ledgerhouse.dev/v1alpha1',
    'kind: LedgerDatabase',
    'metadata:',
    `  name: ${quoted(request.name)}`,
    `  namespace: ${quoted(namespace)}`,
    'spec:',
    ...[
      ['provider', request.provider],
      ['region', request.region],
      ['topology', request.clusterConfiguration],
      ['size', request.clusterSize],
      ['engine', request.engine],
      ['version', request.engineVersion],
    ].flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: ${quoted(value)}`])),
    '  storage:',
    `    tier: ${quoted(request.storageTier ?? '')}`,
    `    sizeGb: ${request.selectedStorageGb}`,
    ...Object.entries(request.parameters ?? {}).flatMap(([name, value], index) => [
      ...(index === 0 ? ['  parameters:'] : []),
      `    ${quoted(name)}: ${quoted(value)}`,
    ]),
    ...(!request.continuousArchiving
      ? []
      : [
          '  backup:',
          '    continuous:',
          '      enabled: true',
          `      rpoSeconds: ${request.continuousArchiving.rpoSeconds ?? 5}`,
        ]),
    ...(request.deletionProtection === undefined
      ? []
      : [`  deletionProtection: ${request.deletionProtection}`]),
  ];
  return `${lines.join('\n')}\n`;
}
