/** Where mail goes: to an SMTP server, or, for development, into a folder, one file a mail. */
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
  /** Rejects when it was not taken, or not before the signal. `PermanentMailFailure`: nor ever will be. */
  send(mail: TakenMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The server has said that it will not take this mail, however often it is tried. */
export class PermanentMailFailure extends Error {
  override readonly name = 'PermanentMailFailure';
}

/** Of single steps: what is told then says more than that it took too long. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function createMailTransport(settings: MailSettings): MailTransport {
  const { from } = settings;
  if (settings.kind === 'folder') return folderTransport(settings.folder, from);
  // Certificates are checked, and STARTTLS is demanded wherever the server is another machine.
  const { hostname, protocol } = new URL(settings.url);
  const requireTLS = protocol === 'smtp:' && !isLoopback(hostname);
  const transporter = createTransport({ url: settings.url, requireTLS, ...timeouts });
  return {
    send: async (mail, signal) => {
      // Its types (of nodemailer 8) do not know the signal.
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
 * Whether the answer is about the recipient or the message, so that no other try can change it. Refused sign-ins, senders and
 * whatever is against the server's policy (enhanced status x.7.x, RFC 3463) are mended by people, and the mail goes out then.
 */
function refusesMail(error: unknown): boolean {
  const { command, response = '', responseCode = 0 } = error as SmtpFailure;
  const aboutMail = command === 'RCPT TO' || command === 'DATA';
  return aboutMail && responseCode >= 500 && !/^\d{3}[ -]5\.7\./.test(response);
}

/** As nodemailer tells an answer of the server. */
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

const messageOf = ({ id, to, subject, text }: TakenMail, from: string) => ({
  from,
  to,
  subject,
  text,
  // The same at each try, so that who gets it twice can tell. Nobody answers a machine.
  messageId: `<${id}@${/@([^\s>]+)/.exec(from)?.[1] ?? 'ledgerhouse'}>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
});

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host.startsWith('127.');
