/**
 * Problems of a replica's data file. The engine's agent writes one into the termination message of its container
 * (engine/agent), and the operator acts on its name.
 */
export const DataProblem = {
  missing: 'DataFileMissing',
  foreign: 'DataFileForeign',
  damaged: 'DataFileDamaged',
  /** The data file exists, but the data of the replica's etcd member does not. */
  memberMissing: 'LogMemberMissing',
} as const;
export type DataProblem = (typeof DataProblem)[keyof typeof DataProblem];

/** A pod has other certificates than those it was made for. The agent reports it like a data problem; a new pod cures it. */
export const certificatesForeign = 'CertificatesForeign';

/** All findings of the agent. */
export type AgentFinding = DataProblem | typeof certificatesForeign;
