/**
 * Issues certificates for the etcd members of several replicas: before the first pod, and again when they are due and every
 * pod has the newest ones (docs/decisions/0018). Only recorded certificates are used: a Secret that was made but not
 * recorded, because the operator ended in between, stays until the database is deleted.
 */
import { annotations } from '../../../domain/names.ts';
import type { StatefulSet } from '../../../domain/kinds.ts';
import {
  generationsIn,
  generationsMax,
  hasPeers,
  isDue,
  peerSecretsOf,
  type Generation,
  type PeerCertificates,
} from '../../certificates/generations.ts';
import { trustOf } from '../../certificates/volume.ts';
import type { Subject } from '../../manifests/subject.ts';
import type { Draft, Plan, StepResult } from '../draft.ts';
import { replicaPods } from '../replica-pods.ts';
import type { Observation } from '../observation.ts';

export function ensureCertificates(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined) return 'halt';
  if (!hasPeers(subject)) return 'continue';
  const set = observed.owned.statefulSets.find((one) => one.metadata.name === subject.workload);
  const stopped = isStopped(observed, set);
  // If no pod uses certificates, only the status counts: removing its record is the way to start over.
  const recorded = draft.facts.peerCertificates ?? (stopped ? undefined : notedBy(set));
  const generations = recorded?.generations ?? [];
  draft.facts = withFact(draft.facts, recorded);
  draft.subject = { ...subject, peerCertificates: generations };
  const due = !subject.suspend && isDue(generations, observed.nowMs);
  const wanted =
    generations.length === 0 || (due && (stopped || allHave(observed, subject, generations)));
  if (!wanted) return 'continue';
  const number = recorded?.next ?? (generations.at(-1)?.number ?? 0) + 1;
  // Recorded before the Secret exists, so that a number whose Secret was made and then forgotten is not tried twice.
  draft.facts = withFact(draft.facts, { ...recorded, next: number });
  draft.do({
    verb: 'issue',
    purpose: 'certificates',
    guarded: true,
    subject,
    number,
    // If nothing runs, no member has to trust earlier generations.
    after: stopped ? [] : generations,
    nowMs: observed.nowMs,
  });
  if (!stopped && generations.length > 0) return 'continue';
  draft.wait('certificates for the etcd members are being made');
  return 'halt';
}

/** The plan with the result of an `issue`: `made` is undefined when the number was taken. */
export function withIssued(
  plan: Plan,
  { number, after }: { number: number; after: readonly Generation[] },
  made: Generation | undefined,
): Plan {
  const before = plan.facts.peerCertificates;
  const peerCertificates =
    made === undefined
      ? { ...before, next: number + 1 }
      : { generations: [...after, made].slice(-generationsMax) };
  return { ...plan, facts: withFact(plan.facts, peerCertificates) };
}

const withFact = (facts: Draft['facts'], value: PeerCertificates | undefined): Draft['facts'] =>
  value === undefined ? facts : { ...facts, peerCertificates: value };

/** Certificates of the existing pods, for when the status was lost. A note that somebody has broken is ignored. */
function notedBy(set: StatefulSet | undefined): PeerCertificates | undefined {
  const noted = set?.metadata.annotations?.[annotations.peerCertificates];
  const generations = noted === undefined ? undefined : generationsIn(noted);
  return generations === undefined ? undefined : { generations };
}

/** Whether every replica has a pod with the newest generation: an older pod would not trust the next one. */
function allHave(
  { owned }: Observation,
  { workload, resolved }: Subject,
  generations: readonly Generation[],
): boolean {
  const pods = replicaPods(owned.pods);
  const trust = peerSecretsOf(workload, generations)?.trust;
  return pods.length === resolved.topology.replicas && pods.every((pod) => trustOf(pod) === trust);
}

/** Whether no pod exists, and none is made until the StatefulSet changes. */
function isStopped({ owned }: Observation, set: StatefulSet | undefined): boolean {
  if (replicaPods(owned.pods).length > 0) return false;
  if (set === undefined) return true;
  const seen = set.status?.observedGeneration ?? 0;
  return set.spec?.replicas === 0 && seen >= (set.metadata.generation ?? 0);
}
