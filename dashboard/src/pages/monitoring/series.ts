/** Series that the page of a database's figures asks for, by the request that they share. The bench of figures asks for them, too. */
export const rates = [
  'requests_per_second',
  'transfers_per_second',
  'accounts_per_second',
  'gateway_requests_per_second',
] as const;
export const highest = [
  'replica_leader',
  'replica_commit_lag_ops',
  'memory_used_bytes',
  'memory_limit_bytes',
  'storage_used_bytes',
  'storage_limit_bytes',
  'cpu_cores',
] as const;
export const latencies = ['request_seconds', 'gateway_request_seconds'] as const;
