/** The states of an invitation, in the API's words. */
export const invitationStatuses = ['OPEN', 'ACCEPTED', 'REVOKED', 'EXPIRED'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];
