/** Notices that API keys are about to expire: an event of the organization, and a mail to the maker of the key. */
import { plain } from '../mail/plain.ts';
import { systemAuthor } from '../model/actor.ts';
import { factOf, type ApiKey } from '../store/api-keys.ts';
import type { Change } from '../store/change.ts';
import { noticeDays, takeExpiringKeys } from '../store/key-expiry.ts';
import { enqueueMail } from '../store/mails.ts';
import { memberAddress, ownersAddresses } from '../store/members.ts';
import { findOrganization } from '../store/organizations.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';

interface NoticeServices {
  readonly store: Store;
  readonly sealer: Sealer;
  /** Whether the service sends mail. */
  readonly mails: boolean;
}

/** Maximum number of keys in one transaction. */
const keysMax = 50;

/** Sends some of the due notices, each once. Returns their number; 0 means that none are left. */
export async function tellExpiringKeys(services: NoticeServices): Promise<number> {
  // The last notice comes first, so that a key whose week passed while nothing ran gets one notice.
  for (const days of [...noticeDays].reverse()) {
    const told = await services.store.change(systemAuthor('key expiry'), async (change) => {
      const keys = await takeExpiringKeys(change, days, keysMax);
      for (const key of keys) await tell(services, change, key, days);
      return keys.length;
    });
    if (told > 0) return told;
  }
  return 0;
}

async function tell(
  { sealer, mails }: NoticeServices,
  change: Change,
  key: ApiKey,
  days: number,
): Promise<void> {
  const { id, organizationId, name, databaseId, expiresAt } = key;
  if (expiresAt === null) return;
  change.emit({
    organizationId,
    type: 'api_key.expiring',
    subject: { type: 'api_key', id, display: name },
    databaseId,
    data: { apiKey: factOf(key), expiresAt: expiresAt.toISOString(), days },
  });
  if (!mails) return;
  const organization = await findOrganization(change.db, organizationId);
  const mail = expiryMail(key, expiresAt, organization?.name ?? '');
  for (const to of await recipientsOf(change, key)) {
    await enqueueMail(change, sealer, { to, ...mail });
  }
}

/** The maker of the key, if they are still a member; otherwise the owners. */
async function recipientsOf(
  { db }: Change,
  { organizationId, createdBy }: ApiKey,
): Promise<readonly string[]> {
  const maker =
    createdBy.type === 'user' && createdBy.id !== null
      ? await memberAddress(db, organizationId, createdBy.id)
      : undefined;
  return maker === undefined ? ownersAddresses(db, organizationId) : [maker];
}

function expiryMail(key: ApiKey, expiresAt: Date, organization: string) {
  const [name, owner] = [plain(key.name), plain(organization)];
  const at = `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return {
    subject: `The API key ${name} of ${owner} expires on ${at}`,
    text: `The API key ${name} (${key.id}, it ends in ${key.lastFour}) of the organization ${owner} on Ledgerhouse
expires on ${at}. Programs that use it are refused from then on.

To keep its secret and put off the expiry by 90 days:

ledgerhouse keys renew ${key.id}

To replace it by another key: ledgerhouse keys rotate ${key.id}
If nobody needs it, do nothing.
`,
  };
}
