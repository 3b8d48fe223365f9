import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A mail server that accepts everything. */
export interface MailServer {
  /** `smtp://`, for SMTP_URL. */
  readonly url: string;
  close(): void;
}

/** @param accept gets all lines of the connection at the end of an email, which is accepted once it resolves */
export async function startMailServer(
  accept: (lines: readonly string[]) => Promise<void> | void,
): Promise<MailServer> {
  const server = createServer((socket) => void serve(socket, accept));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  return { url: `smtp://127.0.0.1:${port}`, close: () => void server.close() };
}

async function serve(socket: Socket, accept: Parameters<typeof startMailServer>[0]): Promise<void> {
  const lines: string[] = [];
  socket.on('error', () => undefined);
  socket.write('220 mail.test ESMTP\r\n');
  let isData = false;
  for await (const line of createInterface({ input: socket })) {
    lines.push(line);
    if (isData && line !== '.') continue;
    if (isData) await accept(lines);
    isData = line === 'DATA';
    if (line.startsWith('EHLO')) socket.write('250-mail.test\r\n250 8BITMIME\r\n');
    else socket.write(isData ? '354 go on\r\n' : '250 fine\r\n');
    if (line === 'QUIT') socket.end();
  }
}
