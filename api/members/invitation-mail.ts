import { plain } from '../mail/plain.ts';

interface InvitationFacts {
  readonly organization: string;
  readonly role: string;
  readonly inviter: string;
  readonly url: string;
  readonly expiresAt: Date;
}

/** Makes the mail. Names come from others, so line ends and control characters are removed; they could forge a mail. */
export function invitationMail(facts: InvitationFacts): { subject: string; text: string } {
  const [organization, inviter] = [plain(facts.organization), plain(facts.inviter)];
  return {
    subject: `You are invited to ${organization} on Ledgerhouse`,
    text: `${inviter} invites you to the organization ${organization} on Ledgerhouse, as ${facts.role}.

To accept, sign in with this address:

${facts.url}

The invitation can be used once, until ${facts.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.
If you did not expect it, do nothing.
`,
  };
}
