import { crc32, deflateSync } from 'node:zlib';
import { z } from 'zod';
import type { HttpResponse } from './http-request.ts';
import type { TestPerson } from './people.ts';

/** A PNG of one colour, with a comment. */
export function png(side: number, comment = 'made by hand'): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const content = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(content), 4);
    return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from(`Comment\0${comment}`)),
    chunk('IDAT', deflateSync(Buffer.alloc(side * (1 + side * 3), 9))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Uploads a file as the logo of a business, as the dashboard does. */
export async function sendLogo(
  { browser, businessId: own }: Pick<TestPerson, 'browser' | 'businessId'>,
  body: unknown,
  {
    type = 'image/png',
    businessId = own,
  }: { type?: string | undefined; businessId?: number | undefined } = {},
): Promise<HttpResponse> {
  const session = await browser.send('GET', '/dashboard-api/session');
  const { csrfToken } = z.object({ csrfToken: z.string() }).parse(session.json());
  const headers = { 'X-CSRF-Token': csrfToken, 'Content-Type': type };
  return browser.send('PUT', `/dashboard-api/businesses/${businessId}/logo`, { headers, body });
}
