import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';

/** An account, under the password with which a browser logged in. */
export interface DeviceAccount {
  readonly personId: string;
  /** Milliseconds since 1970. A new password makes every browser unknown again. */
  readonly passwordSetAt: number;
}

/** Browsers that logged in before, by a signed cookie. It proves nothing but that: no login, no person. */
export interface KnownDevices {
  /** Id of the browser when it has logged in to the account with its current password; else undefined. */
  recognize(req: Request, account: DeviceAccount): string | undefined;
  /** Adds the account to the browser's cookie, after a complete login or a reset through the owner's mailbox. */
  remember(req: Request, res: Response, account: DeviceAccount): void;
}

interface KnownDevicesOptions {
  /** Current first, then retired ones that are still accepted. */
  readonly secrets: readonly [string, ...string[]];
  /** Under https the cookie is Secure and bound to its host (`__Host-`). */
  readonly secure: boolean;
}

/** Accounts that one browser remembers, latest first. */
const maxAccounts = 5;

const maxAgeMs = 180 * 24 * 60 * 60 * 1000;

/** 128 bits in base64url: of an id, and of a mark. */
const part = /^[\w-]{22}$/;

const idBytes = 16;

/** `id.mark.mark…`: a random id, and an HMAC of id and account for each account. */
interface DeviceCookie {
  readonly id: string;
  readonly marks: readonly string[];
}

function parseCookie(value: string | undefined): DeviceCookie | undefined {
  const [id, ...marks] = (value ?? '').split('.', maxAccounts + 1);
  if (id === undefined || ![id, ...marks].every((each) => part.test(each))) return undefined;
  return { id, marks };
}

function markOf(secret: string, id: string, { personId, passwordSetAt }: DeviceAccount): string {
  const input = JSON.stringify(['device', id, personId, passwordSetAt]);
  return createHmac('sha256', secret).update(input).digest().subarray(0, idBytes).toString('base64url');
}

export function createKnownDevices({ secrets, secure }: KnownDevicesOptions): KnownDevices {
  const name = secure ? '__Host-device' : 'device';
  const pattern = new RegExp(`(?:^|; *)${name}=([^;]*)`);
  const read = (req: Request) => parseCookie(pattern.exec(req.headers.cookie ?? '')?.[1]);
  const isMarked = ({ id, marks }: DeviceCookie, account: DeviceAccount) =>
    secrets.some((secret) => {
      const expected = Buffer.from(markOf(secret, id, account));
      return marks.some((mark) => timingSafeEqual(Buffer.from(mark), expected));
    });
  return {
    recognize: (req, account) => {
      const cookie = read(req);
      return cookie !== undefined && isMarked(cookie, account) ? cookie.id : undefined;
    },
    remember: (req, res, account) => {
      const { id, marks } = read(req) ?? { id: randomBytes(idBytes).toString('base64url'), marks: [] };
      const mark = markOf(secrets[0], id, account);
      const kept = [mark, ...marks.filter((each) => each !== mark)].slice(0, maxAccounts);
      const value = [id, ...kept].join('.');
      res.cookie(name, value, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: maxAgeMs });
    },
  };
}
