/**
 * What is wrong with a replica's data file. The engine's agent writes it into the termination message of its container
 * (engine/agent), and the operator acts on it by name.
 */
export const DataProblem = {
  missing: 'DataFileMissing',
  foreign: 'DataFileForeign',
  damaged: 'DataFileDamaged',
  /** The data file is there; what the replica's member of etcd kept is not. */
  memberMissing: 'LogMemberMissing',
} as const;
export type DataProblem = (typeof DataProblem)[keyof typeof DataProblem];

/** The certificates in a replica's pod are not those that it was made for. The agent says it the same way; a new pod is the cure. */
export const certificatesForeign = 'CertificatesForeign';

/** All that the agent finds. */
export type AgentFinding = DataProblem | typeof certificatesForeign;
