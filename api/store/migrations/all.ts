/** All migrations in their order. */
import { organizations } from './0001-organizations.ts';
import { apiKeys } from './0002-api-keys.ts';
import { databases } from './0003-databases.ts';
import { jobs } from './0004-jobs.ts';
import { events } from './0005-events.ts';
import { webhookEndpoints } from './0006-webhook-endpoints.ts';
import { idempotencyKeys } from './0007-idempotency-keys.ts';
import { people } from './0008-people.ts';
import { billing } from './0009-billing.ts';
import { signIn } from './0010-sign-in.ts';
import { namespaceDefaults } from './0011-namespace-defaults.ts';
import { auditChain } from './0012-audit-chain.ts';
import { idempotencyOfEveryPost } from './0013-idempotency-of-every-post.ts';
import { bootstrapMacs } from './0014-bootstrap-macs.ts';
import { usedSignIns } from './0015-used-sign-ins.ts';
import { billingCards } from './0016-billing-cards.ts';
import { keyExpiry } from './0017-key-expiry.ts';
import { workers } from './0018-workers.ts';
import { organizationLifecycle } from './0019-organization-lifecycle.ts';
import { billingEnds } from './0020-billing-ends.ts';
import { sealedBy } from './0021-sealed-by.ts';
import { connectionChecks } from './0023-connection-checks.ts';
import { profileRevisions } from './0029-profile-revisions.ts';
import { configurationChanges } from './0030-configuration-changes.ts';
import { webhookDeliveries } from './0032-webhook-deliveries.ts';
import { metrics } from './0035-metrics.ts';
import { marksAndRequests } from './0036-marks-and-requests.ts';
import { notifications } from './0037-notifications.ts';
import { backups } from './0038-backups.ts';
import { jobsBesideOthers } from './0039-jobs-beside-others.ts';
import { logLines } from './0040-log-lines.ts';
import { backupSchedules } from './0041-backup-schedules.ts';
import { changeStreams } from './0043-change-streams.ts';
import { imports } from './0044-imports.ts';
import { changeStreamBytes } from './0045-change-stream-bytes.ts';
import { changeStreamSinks } from './0046-change-stream-sinks.ts';
import { maintenanceWindows } from './0047-maintenance-windows.ts';
import { notificationMails } from './0048-notification-mails.ts';
import { archivingInProfiles } from './0049-archiving-in-profiles.ts';
import { backupHolds } from './0050-backup-holds.ts';
import { engineNotices } from './0051-engine-notices.ts';
import { auditRetention } from './0052-audit-retention.ts';
import { auditFilters } from './0053-audit-filters.ts';
import { auditProofs } from './0054-audit-proofs.ts';
import { importsOfRows } from './0056-imports-of-rows.ts';
import { suspendedStreams } from './0055-suspended-streams.ts';
import { replacedResources } from './0057-replaced-resources.ts';
import { savedQueries } from './0058-saved-queries.ts';
import { samplesByTenMinutes } from './0059-samples-by-ten-minutes.ts';
import { failedEvents } from './0060-failed-events.ts';
import { newestBackups } from './0061-newest-backups.ts';
import { metricPacks } from './0062-metric-packs.ts';
import { compressedPacks } from './0063-compressed-packs.ts';
import { knownSamples } from './0064-known-samples.ts';
import { backupsOfFiles } from './0065-backups-of-files.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  organizations,
  apiKeys,
  databases,
  jobs,
  events,
  webhookEndpoints,
  idempotencyKeys,
  people,
  billing,
  signIn,
  namespaceDefaults,
  auditChain,
  idempotencyOfEveryPost,
  bootstrapMacs,
  usedSignIns,
  billingCards,
  keyExpiry,
  workers,
  organizationLifecycle,
  billingEnds,
  sealedBy,
  connectionChecks,
  profileRevisions,
  configurationChanges,
  webhookDeliveries,
  metrics,
  marksAndRequests,
  notifications,
  backups,
  jobsBesideOthers,
  logLines,
  backupSchedules,
  changeStreams,
  imports,
  changeStreamBytes,
  changeStreamSinks,
  maintenanceWindows,
  notificationMails,
  archivingInProfiles,
  backupHolds,
  engineNotices,
  auditRetention,
  auditFilters,
  auditProofs,
  suspendedStreams,
  importsOfRows,
  replacedResources,
  savedQueries,
  samplesByTenMinutes,
  failedEvents,
  newestBackups,
  metricPacks,
  compressedPacks,
  knownSamples,
  backupsOfFiles,
];
