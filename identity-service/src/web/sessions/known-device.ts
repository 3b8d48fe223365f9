import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { cookieName } from './cookie-name.ts';

/** An account, under the password with which a browser logged in. */
export interface DeviceAccount {
  readonly personId: string;
  /** Milliseconds since 1970. A new password makes every browser unknown again. */
  readonly passwordSetAt: number;
}

/** Recognizes browsers that logged in before, by a signed cookie. The cookie neither logs in nor identifies a person. */
export interface KnownDevices {
  /** Name of the cookie. */
  readonly cookie: string;
  /**
   * Id of the browser when it has logged in to the account with its current password; else undefined.
   * @param header the Cookie header
   */
  recognize(header: string | undefined, account: DeviceAccount): string | undefined;
  /** New value of the cookie: the account, followed by those that the cookie already had. */
  remember(header: string | undefined, account: DeviceAccount): string;
}

/** Accounts that one browser remembers, latest first. */
const maxAccounts = 5;

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

/**
 * @param secrets current first, then retired ones that are still accepted
 * @param publicUrl determines the name of the cookie
 */
export function createKnownDevices(secrets: readonly [string, ...string[]], publicUrl: string): KnownDevices {
  const name = cookieName('device', publicUrl);
  const pattern = new RegExp(`(?:^|; *)${name}=([^;]*)`);
  const read = (header = '') => parseCookie(pattern.exec(header)?.[1]);
  const isMarked = ({ id, marks }: DeviceCookie, account: DeviceAccount) =>
    secrets.some((secret) => {
      const expected = Buffer.from(markOf(secret, id, account));
      return marks.some((mark) => timingSafeEqual(Buffer.from(mark), expected));
    });
  return {
    cookie: name,
    recognize: (header, account) => {
      const cookie = read(header);
      return cookie !== undefined && isMarked(cookie, account) ? cookie.id : undefined;
    },
    remember: (header, account) => {
      const { id, marks } = read(header) ?? { id: randomBytes(idBytes).toString('base64url'), marks: [] };
      const mark = markOf(secrets[0], id, account);
      const others = marks.filter((each) => each !== mark);
      return [id, mark, ...others.slice(0, maxAccounts - 1)].join('.');
    },
  };
}
