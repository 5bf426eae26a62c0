/** The plugin's text about a database, from objects of the API server. */
import { labels } from '../../domain/names.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';

export function statusText({ metadata, spec, status = {} }: DatabaseObject): string {
  const conditions = (status.conditions ?? []).map(
    ({ type, status: value, reason, message }) =>
      `  ${type.padEnd(16)} ${value.padEnd(8)} ${reason}: ${message}`,
  );
  const members = (status.members ?? []).map(
    ({ pod, state, role = '', node = '', reason, message }) =>
      `  ${pod}  ${state}  ${role}  ${node}  ${reason === undefined ? '' : `${reason}: ${message ?? ''}`}`.trimEnd(),
  );
  const blocked = (status.rollout?.blocked ?? []).map(
    (row) => `  ${row.pod}  ${row.predicate}: ${row.message}`,
  );
  const { engine, topology, size } = status.resolved ?? {};
  return [
    `${metadata.namespace}/${metadata.name}${spec.suspend ? ' (suspended)' : ''}${spec.paused === true ? ' (paused)' : ''}`,
    `  ${engine?.name ?? 'not resolved'} ${status.version?.active ?? 'not started'}, ${topology?.name ?? ''}, ${size?.name ?? ''}, ${status.storage?.summary ?? ''}`,
    'Conditions',
    ...conditions,
    'Replicas',
    ...members,
    ...(blocked.length === 0 ? [] : ['Not replaced yet', ...blocked]),
  ].join('\n');
}

/** Objects of a database by kind; those of one replica stand together. */
export function treeText({ metadata }: DatabaseObject, objects: readonly KubeObject[]): string {
  const own = objects.filter((one) => one.metadata.labels?.[labels.uid] === metadata.uid);
  const kinds = [...new Set(own.map(({ kind }) => kind))].toSorted();
  const lines = kinds.flatMap((kind) => [
    `  ${kind}`,
    ...own
      .filter((one) => one.kind === kind)
      .map(
        (one) =>
          `    ${one.metadata.name}${one.metadata.deletionTimestamp === undefined ? '' : ' (is being deleted)'}`,
      )
      .toSorted(),
  ]);
  return [`LedgerDatabase ${metadata.namespace}/${metadata.name}`, ...lines].join('\n');
}

/** Removes values of environment variables, which could be secrets, and names of field managers. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'managedFields');
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      key,
      key === 'env' && Array.isArray(inner) ? inner.map(nameOnly) : withoutSecrets(inner),
    ]),
  );
}

const nameOnly = (variable: unknown) => ({
  name: (variable as { name?: string }).name ?? '',
  value: 'hidden',
});
