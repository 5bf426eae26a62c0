import { settingsTag } from '../http/conditional.ts';
import type { Role } from '../model/access.ts';
import type { Organization } from '../store/organizations.ts';

export const shownOrganization = (organization: Organization, role: Role | null) => ({
  id: organization.id,
  name: organization.name,
  slug: organization.slug,
  namespace: organization.namespace,
  status: organization.deletedAt === null ? organization.status : ('DELETED' as const),
  suspensionReason: organization.suspensionReason,
  databasesMax: organization.databasesMax,
  auditRetentionDays: organization.auditRetentionDays,
  role,
  createdAt: organization.createdAt.toISOString(),
  deletedAt: organization.deletedAt?.toISOString() ?? null,
  purgeAt: organization.purgeAt?.toISOString() ?? null,
});

/** The tag of what its owners and the administrator set in one request. */
export const organizationTag = ({
  id,
  name,
  databasesMax,
  auditRetentionDays,
}: Pick<Organization, 'id' | 'name' | 'databasesMax' | 'auditRetentionDays'>): string =>
  settingsTag(id, { name, databasesMax, auditRetentionDays });
