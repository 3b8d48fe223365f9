import { createTransport } from 'nodemailer';
import type { SendMail } from './mailer.ts';

/** Milliseconds to connect, to be greeted, and of silence. */
const timeouts = {
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 10_000,
  dnsTimeout: 5_000,
};

/** Sends over SMTP, a connection per mail. @param url `smtp://` or `smtps://`, with user and password where needed */
export function createSmtpMailer(url: string, from: string): SendMail {
  const transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  return async ({ to, subject, text }) => {
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
  };
}
