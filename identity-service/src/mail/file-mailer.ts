import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@platform/service-kit/logger.ts';
import { createTransport } from 'nodemailer';
import type { SendMail } from './mailer.ts';

/** Writes each mail into a directory, as `<time>-<id>.eml` for its owner only: the local mode's post office. */
export function createFileMailer(directory: string, from: string, logger: Logger): SendMail {
  const transport = createTransport({ streamTransport: true, buffer: true });
  return async ({ to, subject, text }) => {
    const { message } = await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
    const time = new Date().toISOString().replaceAll(':', '-');
    const file = join(directory, `${time}-${randomUUID().slice(0, 8)}.eml`);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(file, message, { mode: 0o600 });
    logger.info({ file, subject }, 'mail written');
  };
}
