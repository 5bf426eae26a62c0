import { memberName } from '../../domain/names.ts';
import type { EtcdMember } from '../log/replicated/etcd.ts';

/** Formats etcd's `initial-cluster`. An unstarted member is known by its URL alone; it gets the name that it will have. */
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
