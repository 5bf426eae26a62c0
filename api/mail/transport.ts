/** Mail transport: to an SMTP server or, for development, into a folder with one file for each mail. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';
import type { TakenMail } from '../store/mails.ts';

export type MailSettings =
  | {
      readonly kind: 'smtp';
      /** `smtp(s)://user:password@host:port`; a secret. */
      readonly url: string;
      readonly from: string;
    }
  | { readonly kind: 'folder'; readonly folder: string; readonly from: string };

export interface MailTransport {
  /** Rejects if the mail was not accepted before the signal. Rejects with `PermanentMailFailure` if no retry can help. */
  send(mail: TakenMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The server refuses this mail permanently. */
export class PermanentMailFailure extends Error {
  override readonly name = 'PermanentMailFailure';
}

/** Timeouts of single steps. They make the error name the step that took too long. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function createMailTransport(settings: MailSettings): MailTransport {
  const { from } = settings;
  if (settings.kind === 'folder') return folderTransport(settings.folder, from);
  // Certificates are checked, and STARTTLS is required if the server is another machine.
  const { hostname, protocol } = new URL(settings.url);
  const requireTLS = protocol === 'smtp:' && !isLoopback(hostname);
  const transporter = createTransport({ url: settings.url, requireTLS, ...timeouts });
  return {
    send: async (mail, signal) => {
      // The types of nodemailer 8 do not have the signal.
      const message = { ...messageOf(mail, from), signal };
      try {
        await transporter.sendMail(message);
      } catch (error) {
        if (!refusesMail(error)) throw error;
        throw new PermanentMailFailure('the server refuses this mail', { cause: error });
      }
    },
    close: () => transporter.close(),
  };
}

/**
 * Whether the answer rejects the recipient or the message, so that no retry can help. People can fix refused sign-ins, refused
 * senders and violations of the server's policy (enhanced status x.7.x, RFC 3463); the mail is sent then.
 */
function refusesMail(error: unknown): boolean {
  const { command, response = '', responseCode = 0 } = error as SmtpFailure;
  const aboutMail = command === 'RCPT TO' || command === 'DATA';
  return aboutMail && responseCode >= 500 && !/^\d{3}[ -]5\.7\./.test(response);
}

/** An answer of the server, as nodemailer reports it. */
interface SmtpFailure {
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

function folderTransport(folder: string, from: string): MailTransport {
  const transporter: Transporter<{ message: Buffer }> = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'unix',
  }) as unknown as Transporter<{ message: Buffer }>;
  return {
    send: async (mail) => {
      const { message } = await transporter.sendMail(messageOf(mail, from));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${mail.id}.eml`);
      await writeFile(`${file}.new`, message, { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
    close: () => transporter.close(),
  };
}

const messageOf = ({ id, to, subject, text, unsubscribeUrl }: TakenMail, from: string) => ({
  from,
  to,
  subject,
  text,
  // The same for each try, so that a recipient can recognize a duplicate. Auto-Submitted prevents automatic replies.
  messageId: `<${id}@${/@([^\s>]+)/.exec(from)?.[1] ?? 'ledgerhouse'}>`,
  headers: {
    'Auto-Submitted': 'auto-generated',
    ...(unsubscribeUrl !== undefined && {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  },
  disableFileAccess: true,
  disableUrlAccess: true,
});

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host.startsWith('127.');
