/** Disables endpoints whose receivers fail permanently: an event of the organization, and a mail to its owners. */
import { plain } from '../mail/plain.ts';
import { autoDisable, type WebhookEndpoint } from '../store/webhook-endpoints.ts';
import type { Change } from '../store/change.ts';
import { enqueueMail } from '../store/mails.ts';
import { ownersAddresses } from '../store/members.ts';
import { findOrganization } from '../store/organizations.ts';
import type { Sealer } from '../store/sealing.ts';

/** An endpoint is disabled after this many days in which every attempt failed. */
export const failingDaysMax = 5;

export const reasons = {
  gone: 'The receiver answered 410: it is gone.',
  failing: `Every attempt of the last ${failingDaysMax} days failed.`,
} as const;

interface DisablingParts {
  readonly sealer: Sealer;
  /** Whether the service sends mail. */
  readonly mails: boolean;
}

/** Returns false, doing nothing, if the endpoint is not enabled or has another receiver by now. */
export async function disable(
  change: Change,
  failing: WebhookEndpoint,
  reason: string,
  { sealer, mails }: DisablingParts,
): Promise<boolean> {
  const endpoint = await autoDisable(change, failing, reason);
  if (endpoint === undefined) return false;
  if (!mails) return true;
  const organization = await findOrganization(change.db, endpoint.organizationId);
  const mail = disabledMail(endpoint, organization?.name ?? '');
  for (const to of await ownersAddresses(change.db, endpoint.organizationId)) {
    await enqueueMail(change, sealer, { to, ...mail });
  }
  return true;
}

function disabledMail({ id, url, disabledReason }: WebhookEndpoint, organization: string) {
  const host = new URL(url).host;
  const owner = plain(organization);
  return {
    subject: `A webhook of ${owner} was disabled: ${host}`,
    text: `The webhook endpoint ${id} of the organization ${owner} on Ledgerhouse gets no more events:
${plain(url)}

${disabledReason ?? ''}

Once the receiver works, enable the endpoint, and send again what it missed:

ledgerhouse webhooks enable ${id}
ledgerhouse deliveries replay-many --endpoint ${id} --status CANCELED --status FAILED
`,
  };
}
