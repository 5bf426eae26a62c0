import { expect, test } from '@jest/globals';
import type { V1NetworkPolicySpec } from '@kubernetes/client-node';
import { chainsOf, entryChain, restoreInput, type PodFacts } from './rules.ts';

const pod = (name: string, ip: string, labels: Record<string, string>): PodFacts => {
  const [namespace = '', own = ''] = name.split('/');
  return { namespace, name: own, labels, ip, node: 'node-1', ports: { 'TCP/ledger': 3000 } };
};
const pods = [
  pod('org/engine', '10.0.0.1', { app: 'engine' }),
  pod('org/gateway', '10.0.0.2', { app: 'gateway' }),
  pod('other/gateway', '10.0.0.3', { app: 'gateway' }),
];

/** Rules of the engine's own chains under one policy that selects it. */
function rulesUnder(spec: Partial<V1NetworkPolicySpec>): string[] {
  const policies = [
    {
      metadata: { namespace: 'org' },
      spec: { podSelector: { matchLabels: { app: 'engine' } }, ...spec },
    },
  ];
  const namespaces = { org: {}, other: { access: 'yes' } };
  const chains = chainsOf({ pods, policies, namespaces }, 'node-1');
  return [...chains].filter(([name]) => name !== entryChain).flatMap(([, rules]) => rules);
}
const itself = '-s 10.0.0.1/32 -d 10.0.0.1/32 -j RETURN';

test('a policy without rules isolates the pods that it selects, and no others', () => {
  expect(rulesUnder({})).toEqual([itself, '-j DROP']);
});

test.each<[string, Partial<V1NetworkPolicySpec>, string[]]>([
  ['everyone, by an empty rule', { ingress: [{}] }, ['-j RETURN']],
  [
    'pods of its namespace, by label, on a named port',
    {
      ingress: [
        {
          _from: [{ podSelector: { matchLabels: { app: 'gateway' } } }],
          ports: [{ port: 'ledger' }],
        },
      ],
    },
    ['-s 10.0.0.2/32 -p tcp -m tcp --dport 3000 -j RETURN'],
  ],
  [
    'namespaces by label',
    { ingress: [{ _from: [{ namespaceSelector: { matchLabels: { access: 'yes' } } }] }] },
    ['-s 10.0.0.3/32 -j RETURN'],
  ],
  [
    'ranges of addresses with a hole',
    { ingress: [{ _from: [{ ipBlock: { cidr: '10.1.0.0/16', except: ['10.1.128.0/17'] } }] }] },
    ['-s 10.1.0.0/17 -j RETURN'],
  ],
])('it lets in %s', (_, spec, expected) => {
  expect(rulesUnder(spec)).toEqual([itself, ...expected, '-j DROP']);
});

test('egress holds only where it is named, and a range of ports reaches everywhere', () => {
  expect(
    rulesUnder({
      policyTypes: ['Egress'],
      egress: [{ ports: [{ protocol: 'UDP', port: 53, endPort: 54 }] }],
    }),
  ).toEqual([itself, '-p udp -m udp --dport 53:54 -j RETURN', '-j DROP']);
});

test('chains that are no longer wanted are emptied and removed, and the hook is set once', () => {
  const saved = `*filter\n:FORWARD ACCEPT [0:0]\n:LH-I-old - [0:0]\n-A FORWARD -j ${entryChain}\nCOMMIT\n`;
  const input = restoreInput(new Map([[entryChain, []]]), saved);
  expect(input).toContain(':LH-I-old - [0:0]\n');
  expect(input).toContain('-X LH-I-old\n');
  expect(input).not.toContain('-I FORWARD');
  expect(restoreInput(new Map([[entryChain, []]]), '')).toContain(`-I FORWARD 1 -j ${entryChain}`);
});
