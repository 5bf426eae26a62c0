/** A Service for each replica: its address is recorded once and kept for ever, since clients and peers know it. */
import { ports, serviceName } from '../../../domain/names.ts';
import type { Endpoint } from '../../manifests/subject.ts';
import { buildService } from '../../manifests/service.ts';
import { addressList } from '../../manifests/addresses.ts';
import { missing } from '../../manifests/diff.ts';
import { resources } from '../../../domain/kinds.ts';
import { deletion } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';
import { subjectOf, type PlanOptions } from '../subject-of.ts';

export function ensureServices(
  observed: Observation,
  draft: Draft,
  options: PlanOptions,
): StepResult {
  const subject = subjectOf(observed, draft, options);
  if (subject === undefined) return 'halt';
  draft.subject = subject;
  const recorded = new Map((draft.facts.endpoints ?? []).map((row) => [row.index, row]));
  const endpoints: Endpoint[] = [];
  for (let index = 0; index < subject.resolved.topology.replicas; index += 1) {
    const desired = buildService(subject, index);
    const name = serviceName(subject.workload, index);
    const live = observed.owned.services.find((service) => service.metadata.name === name);
    const ip = live?.spec?.clusterIP;
    const pinned = recorded.get(index);
    if (live === undefined) {
      draft.do({
        verb: 'create',
        purpose: 'service',
        guarded: pinned !== undefined,
        resource: resources.service,
        object: desired,
      });
    } else if (live.metadata.deletionTimestamp !== undefined) {
      draft.wait(`Service ${name} is being deleted`);
    } else if (pinned !== undefined && ip !== undefined && ip !== pinned.ip) {
      // Someone recreated it. A Service's address cannot be changed, so it is deleted and made with the recorded one.
      draft.do(deletion('service', resources.service, live));
    } else if (missing(desired, live).length > 0) {
      draft.do({
        verb: 'apply',
        purpose: 'service',
        guarded: false,
        resource: resources.service,
        object: desired,
      });
    }
    if (pinned !== undefined) endpoints.push(pinned);
    else if (ip !== undefined && ip !== '') endpoints.push({ index, ip, port: ports.client });
  }
  if (endpoints.length < subject.resolved.topology.replicas) {
    draft.wait('the Services have no addresses yet');
    return 'halt';
  }
  draft.facts = { ...draft.facts, endpoints, addresses: addressList(endpoints) };
  draft.subject = { ...subject, endpoints };
  return 'continue';
}
