import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Background } from '../platform/background.ts';
import { messageParts } from './mail-message.ts';

/** An email to one person; its HTML is made of the text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** Message-ID, equal for repeated emails so that mail servers drop duplicates; random where absent. */
  readonly messageId?: string;
}

/** Sends an email. Rejects when no server accepts it in time. */
export type SendMail = (mail: Mail) => Promise<void>;

/** Message for nodemailer. `use8BitMime` asks for it where a server offers it; RFC 6152. */
function toMessage(from: string, { to, subject, text, messageId }: Mail) {
  return {
    from,
    to: { name: '', address: to },
    subject,
    ...(messageId !== undefined && { messageId }),
    headers: { 'Content-Transfer-Encoding': '8bit' },
    alternatives: [...messageParts(subject, text)],
    envelope: { from, to, use8BitMime: true },
  };
}

/** Loads nodemailer at the first email, so that a start does not load its modules. */
const nodemailer = () => import('nodemailer');

/** Writes each mail into a directory, as `<time>-<id>.eml` for its owner only: the local mode's post office. */
function createFileMailer(directory: string, from: string, logger: Logger): SendMail {
  return async (mail) => {
    const { createTransport } = await nodemailer();
    const transport = createTransport({ streamTransport: true, buffer: true });
    const { message } = await transport.sendMail(toMessage(from, mail));
    const { subject } = mail;
    const time = new Date().toISOString().replaceAll(':', '-');
    const file = join(directory, `${time}-${randomUUID().slice(0, 8)}.eml`);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // A reader of the directory never finds half a mail.
    await writeFile(`${file}.part`, message, { mode: 0o600 });
    await rename(`${file}.part`, file);
    logger.info({ file, subject }, 'mail written');
  };
}

/** Milliseconds to connect, to receive the greeting, and between bytes. */
const timeouts = {
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 10_000,
  dnsTimeout: 5_000,
};

/** Sends over SMTP, a connection per mail. @param url `smtp://` or `smtps://`, with user and password where needed */
function createSmtpMailer(url: string, from: string): SendMail {
  return async (mail) => {
    const { createTransport } = await nodemailer();
    const transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
    await transport.sendMail(toMessage(from, mail));
  };
}

interface MailSettings {
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_DIR?: string | undefined;
  readonly MAIL_FROM: string;
}

/** The mailer that the configuration names; SMTP wins. @throws Error when it names none */
export function createMailer({ SMTP_URL, MAIL_DIR, MAIL_FROM }: MailSettings, logger: Logger): SendMail {
  if (SMTP_URL !== undefined) return createSmtpMailer(SMTP_URL, MAIL_FROM);
  if (MAIL_DIR !== undefined) return createFileMailer(MAIL_DIR, MAIL_FROM, logger);
  throw new Error('neither SMTP_URL nor MAIL_DIR is set');
}

/** Subject and text of an email, without its recipient. */
export type EmailContent = Omit<Mail, 'to'>;

/** Sends email after the response, so that its timing does not depend on the mail server. */
export interface Mailer {
  readonly sendMail: SendMail;
  readonly background: Background;
  /** Origin of the links in emails. */
  readonly publicUrl: string;
}

/** Sends an email without delaying the response. */
export function sendInBackground({ sendMail, background }: Mailer, to: string, email: EmailContent): void {
  background.run('mail', () => sendMail({ to, ...email }));
}
