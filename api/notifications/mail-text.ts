/** The words of mails with notifications. */
import { plain } from '../mail/plain.ts';
import type { StoredEvent } from '../model/event.ts';
import { digestHour } from '../store/notifications.ts';
import { summaryOf } from './summary.ts';

/** A mail lists so many notifications; the others are in the application. */
export const linesMax = 50;
/** A subject is one line in a list of mails. */
const subjectMax = 150;

interface MailFacts {
  /** The oldest first; not empty, and at most `linesMax`. */
  readonly events: readonly StoredEvent[];
  /** There are more than those. */
  readonly more: boolean;
  readonly organization: { readonly name: string; readonly slug: string };
  readonly publicUrl: string;
  readonly unsubscribeUrl: string;
}

/** `last`: no more mails at once follow today. */
export function mailAtOnce(facts: MailFacts, last: boolean) {
  const [first] = facts.events;
  const subject =
    facts.events.length === 1 && first !== undefined
      ? summaryOf(first)
      : `${countOf(facts)} notifications of ${facts.organization.name}`;
  const end = last
    ? 'This was the last mail of this kind today: further notifications are in the application.\n\n'
    : '';
  return mail(subject, facts, end);
}

export const dailyMail = (facts: MailFacts) =>
  mail(
    `${countOf(facts)} notification${facts.events.length === 1 ? '' : 's'} of ${facts.organization.name} since yesterday`,
    facts,
    `This mail comes once a day, at ${digestHour}:00 UTC, if there are notifications.\n\n`,
  );

const countOf = ({ events, more }: MailFacts): string =>
  `${more ? 'More than ' : ''}${events.length}`;

function mail(
  subject: string,
  { events, more, organization, publicUrl, unsubscribeUrl }: MailFacts,
  note: string,
) {
  const lines = events.map(
    (event) =>
      `${event.occurredAt.toISOString().slice(0, 16).replace('T', ' ')} UTC  ${plain(summaryOf(event))}`,
  );
  const cut = plain(subject);
  return {
    subject: cut.length > subjectMax ? `${cut.slice(0, subjectMax)}…` : cut,
    text: `${lines.join('\n')}
${more ? 'and more\n' : ''}
All notifications of ${plain(organization.name)}, and which of them come by mail:
${publicUrl}/o/${organization.slug}/notifications

${note}To end these mails, without signing in:
${unsubscribeUrl}
`,
    unsubscribeUrl,
  };
}
