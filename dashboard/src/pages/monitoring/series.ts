/** Series that the page of a database's figures asks for, by the request that they share. The bench of figures asks for them, too. */
export const rates = [
  'requests_per_second',
  'transfers_per_second',
  'accounts_per_second',
  'gateway_requests_per_second',
  'failed_events_per_second',
  'gateway_queue_depth',
  'disk_written_bytes_per_second',
  'network_sent_bytes_per_second',
] as const;
export const highest = [
  'replica_leader',
  'replica_commit_lag_ops',
  'replica_status',
  'memory_used_bytes',
  'storage_used_bytes',
  'cpu_cores',
  'cdc_lag_seconds',
] as const;
export const lowest = [
  'replica_up',
  'memory_limit_bytes',
  'storage_limit_bytes',
  'backup_age_seconds',
] as const;
export const latencies = ['request_seconds', 'gateway_request_seconds'] as const;
