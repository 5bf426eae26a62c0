import { memberName } from '../../domain/names.ts';
import type { EtcdMember } from '../log/replicated/etcd.ts';

/** As etcd's `initial-cluster` has it. Who has not started yet is known by its URL alone, and has the name it will have. */
export function initialCluster(
  members: readonly EtcdMember[],
  unstarted: { readonly replica: number; readonly peerUrl: string },
): string {
  const nameOf = ({ name, peerUrls }: EtcdMember): string =>
    name === '' && peerUrls.includes(unstarted.peerUrl) ? memberName(unstarted.replica) : name;
  return members
    .flatMap((member) => member.peerUrls.map((url) => `${nameOf(member)}=${url}`))
    .toSorted()
    .join(',');
}
