/** How tests run a member of etcd: what pods' members are given (engine/agent/member-config.ts), as flags. */
export const etcdSettings = (quotaBytes = 2 ** 31): readonly string[] => [
  '--heartbeat-interval=50',
  '--election-timeout=300',
  '--max-request-bytes=2097152',
  `--quota-backend-bytes=${quotaBytes}`,
  '--snapshot-count=128',
  '--snapshot-catchup-entries=256',
  '--max-wals=2',
  '--log-level=warn',
];
