import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/logger.ts';
import { createMailer } from './mail.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** A mail server that accepts everything; resolves to its URL. @param lines get what it receives */
async function startMailServer(lines: string[]): Promise<string> {
  const listening = createServer((socket) => void serve(socket, lines));
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  return `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

async function serve(socket: Socket, lines: string[]): Promise<void> {
  socket.write('220 mail.test ESMTP\r\n');
  let isData = false;
  for await (const line of createInterface({ input: socket })) {
    lines.push(line);
    if (isData && line !== '.') continue;
    isData = line === 'DATA';
    if (line.startsWith('EHLO')) socket.write('250-mail.test\r\n250 8BITMIME\r\n');
    else socket.write(isData ? '354 go on\r\n' : '250 fine\r\n');
    if (line === 'QUIT') socket.end();
  }
}

test('a mail is sent as 8 bits, each link in one line, to one recipient', async () => {
  const lines: string[] = [];
  const url = await startMailServer(lines);
  const logger = createLogger({ service: 'test', level: 'silent' });
  const send = createMailer({ SMTP_URL: url, MAIL_FROM: 'Business API <no-reply@api.example>' }, logger);
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
