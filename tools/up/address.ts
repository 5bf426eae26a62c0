/**
 * The API's address for this machine: that of a node. It stays the same as long as the cluster exists, and needs no process here.
 */
import { nodePort } from './charts.ts';
import type { Kubectl } from './kubectl.ts';

export async function addressOf(kubectl: Kubectl): Promise<string> {
  const nodes = await kubectl.read<{
    items: { status: { addresses: { type: string; address: string }[] } }[];
  }>('nodes');
  const [first] = nodes.items.flatMap(({ status }) =>
    status.addresses.filter(({ type }) => type === 'InternalIP'),
  );
  if (first === undefined) throw new Error('no node has an address');
  return `http://${first.address}:${nodePort}`;
}
