/** The organization of the page, and the caller's rights in it. */
import { createContext, use } from 'react';
import type { Session } from '../../../gen/api.ts';
import { said } from '../lib/said.ts';
import type { Zone } from '../lib/time.ts';

export type ShownOrganization = Session['organizations'][number];
export type Right = ShownOrganization['rights'][number];

export const OrganizationContext = createContext<ShownOrganization | undefined>(undefined);

/** The organization in the address. Throws outside of its pages. */
export function useOrganization(): ShownOrganization {
  const organization = use(OrganizationContext);
  if (organization === undefined) throw new Error('this page is not an organization’s');
  return organization;
}

const needs: Readonly<Record<Right, string>> = {
  readDatabases: 'see databases',
  writeLedger: 'write to ledgers',
  createDatabase: 'create databases',
  changeDatabase: 'change, delete and restore databases',
  restoreInPlace: 'set a database back to an earlier state',
  manageOwnKeys: 'make keys',
  manageKeys: 'manage keys',
  manageWebhooks: 'manage webhooks',
  manageMembers: 'manage members',
  manageOwners: 'manage owners',
  manageBilling: 'manage billing',
  readAuditLog: 'read the audit log',
};

/** Why the caller may not do something here; `undefined`: they may. */
export function whyNot(organization: ShownOrganization, right: Right): string | undefined {
  if (organization.rights.includes(right)) return undefined;
  const role = organization.role ?? 'none';
  return `Your role here, ${role}, may not ${needs[right]}. Ask an owner of ${said(organization.name)}.`;
}

export const ZoneContext = createContext<Zone>('local');
export const useZone = (): Zone => use(ZoneContext);

/** The time, renewed twice a minute, for words such as “3 minutes ago”. */
export const NowContext = createContext(new Date());
export const useNow = (): Date => use(NowContext);
