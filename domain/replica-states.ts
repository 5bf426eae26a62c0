/** States of a replica (`status.members`) and causes of failure: closed lists, documented in docs/operating/conditions.md. */
import { certificatesForeign, DataProblem } from './data-problem.ts';
import type { ReplicaRow } from './custom-resources.ts';

export const replicaStates = [
  'Absent',
  'Pending',
  'Starting',
  'Ready',
  'Failing',
  'Stopping',
] as const satisfies readonly ReplicaRow['state'][];

/** Kubernetes' reasons of waiting containers that time alone does not cure. */
export const waitingFailures = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
] as const;

/** Reasons for which a replica is `Failing`. */
export const replicaTroubles = [
  ...waitingFailures,
  'Unschedulable',
  ...Object.values(DataProblem),
  certificatesForeign,
] as const;
export type ReplicaTrouble = (typeof replicaTroubles)[number];

/** Rules that forbid replacing a pod by a newer one now (`status.rollout.blocked`). */
export const rolloutRules = [
  'AlreadyStopping',
  'VolumeStays',
  'StorageSettled',
  'NoneStopping',
  'AllPresent',
  'OthersReady',
  'OthersSettled',
  'OthersAnswer',
  'OthersCaughtUp',
] as const;
export type RolloutRule = (typeof rolloutRules)[number];
