import type { Logger } from '@platform/service-kit/logger.ts';
import { createFileMailer } from './file-mailer.ts';
import type { SendMail } from './mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

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
