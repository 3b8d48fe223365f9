import { afterEach, expect, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { type MailServer, startMailServer } from '../../../tests/harness/mail-server.ts';
import { createMailer } from './mail.ts';

let server: MailServer | undefined;
afterEach(() => {
  server?.close();
});

test('an email is sent in 8 bits to one recipient, with each link on one line', async () => {
  let lines: readonly string[] = [];
  server = await startMailServer((received) => {
    lines = received;
  });
  const logger = createLogger({ service: 'test', level: 'silent' });
  const send = createMailer(
    { SMTP_URL: server.url, MAIL_FROM: 'Business API <no-reply@api.example>' },
    logger,
  );
  const link = `https://api.example/password/reset?token=${'t'.repeat(90)}`;
  await send({
    to: 'ada@people.example',
    subject: 'Set a new password',
    text: `Grüße. Set it here:\n${link}\n`,
  });
  expect(lines).toEqual(
    expect.arrayContaining([
      'MAIL FROM:<no-reply@api.example> BODY=8BITMIME',
      'RCPT TO:<ada@people.example>',
    ]),
  );
  expect(lines).toEqual(expect.arrayContaining(['Grüße. Set it here:', link]));
  expect(lines.filter((line) => line.startsWith('RCPT'))).toHaveLength(1);
});
