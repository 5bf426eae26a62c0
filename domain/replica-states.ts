/** Words for how one replica is (`status.members`), and why one fails: closed lists, each with its row in docs/operating/conditions.md. */
import { certificatesForeign, DataProblem } from './data-problem.ts';
import type { Member } from './resources.ts';

export const replicaStates = [
  'Absent',
  'Pending',
  'Starting',
  'Ready',
  'Failing',
  'Stopping',
] as const satisfies readonly Member['state'][];

/** Reasons for which a container waits and which time alone does not cure: Kubernetes' own words. */
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

/** Why a replica is `Failing`. */
export const replicaTroubles = [
  ...waitingFailures,
  'Unschedulable',
  ...Object.values(DataProblem),
  certificatesForeign,
] as const;
export type ReplicaTrouble = (typeof replicaTroubles)[number];

/** Why a pod may not be replaced by a newer one now (`status.rollout.blocked`). */
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
