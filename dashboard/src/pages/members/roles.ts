/** The roles in words. The service decides; `GET /session` returns the rights of the caller. */
import type { Member } from '../../../../gen/api.ts';

export type Role = Member['role'];

export const roles: readonly { readonly id: Role; readonly about: string }[] = [
  { id: 'owner', about: 'Everything, owners and billing included.' },
  {
    id: 'admin',
    about: 'Databases, all keys, members, webhooks, the audit log. Not owners, not billing.',
  },
  {
    id: 'developer',
    about:
      'Create databases, write to ledgers, make keys that read. May be restricted to databases.',
  },
  { id: 'viewer', about: 'See databases and read ledgers. May be restricted to databases.' },
  { id: 'billing', about: 'Billing only.' },
];

/** Whether members with this role can be restricted to some databases. */
export const isRestrictable = (role: Role): boolean => role === 'developer' || role === 'viewer';
