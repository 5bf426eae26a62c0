/** What the programs of the local Kubernetes are built of. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../support/shell.ts';

/** Versions of the modules that a program of `tools/cluster/modules` is built of. */
function modulesOf(program: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(checkout, 'tools/cluster/modules', program, 'go.mod'), 'utf8');
  const required = text.matchAll(/^(?:require )?\s*(\S+\.\S+\/\S+|\S+\.\S+) (v\S+)/gm);
  return new Map([...required].map(([, name = '', version = '']) => [name, version]));
}

test('CoreDNS and Helm are built of the same versions, so that the libraries of Kubernetes are compiled once for both', () => {
  const [coredns, helm] = [modulesOf('coredns'), modulesOf('helm')];
  const shared = [...coredns.keys()].filter((name) => helm.has(name));
  expect(shared).toContain('k8s.io/client-go');
  const versions = (of: ReadonlyMap<string, string>) =>
    shared.map((name) => `${name} ${of.get(name)}`);
  expect(versions(coredns)).toEqual(versions(helm));
});
