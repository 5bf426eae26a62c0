import { assert } from '../assert.ts';
import type { Resource } from './kube.ts';

export interface PathParts {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Path of a collection, an object or a subresource. Without a namespace it covers all namespaces (lists and watches only). */
export function apiPath(resource: Resource, { namespace, name, subresource }: PathParts): string {
  const { apiVersion, plural, namespaced, kind } = resource;
  assert(namespaced || namespace === undefined, `${kind} has no namespace`);
  assert(!namespaced || name === undefined || namespace !== undefined, `${kind} needs a namespace`);
  const root = apiVersion.includes('/') ? 'apis' : 'api';
  const parts = [
    root,
    apiVersion,
    ...(namespace === undefined ? [] : ['namespaces', segment(namespace)]),
    plural,
    ...(name === undefined ? [] : [segment(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `/${parts.join('/')}`;
}

/** Encodes a name, which must not be empty: that would turn a delete of one object into a delete of its collection. */
function segment(name: string): string {
  assert(name !== '' && name !== '.' && name !== '..', `no name: "${name}"`);
  return encodeURIComponent(name);
}
