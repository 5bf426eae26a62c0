import type { Invitation } from '../store/invitations.ts';
import { shownScope } from './database-scope.ts';

/** An invitation in the form of answers, without its token. */
export const shownInvitation = (invitation: Invitation) => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  databaseScope: shownScope(invitation.databaseIds),
  status: invitation.status,
  createdAt: invitation.createdAt.toISOString(),
  createdBy: invitation.createdBy,
  sentAt: invitation.sentAt.toISOString(),
  expiresAt: invitation.expiresAt.toISOString(),
});
