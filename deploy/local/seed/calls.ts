import type { InvalidReason, Refusal } from '@platform/protos/vocabulary';
import { httpErrorBody } from '@platform/service-kit/http/errors.ts';
import type { DemoKeyName } from './keys.ts';

/** A request of the demo's past. */
export interface DemoCall {
  readonly key: DemoKeyName;
  /** End of the response, milliseconds since 1970. */
  readonly at: number;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly status: number;
  /** Reason of the gateway's own response. */
  readonly refusal?: Refusal | undefined;
  /** Part of the request that the service behind it did not accept, and its name. */
  readonly invalidInput?: `${InvalidReason} ${string}` | undefined;
  /** Text of the error. */
  readonly error?: string | undefined;
  readonly clientIp: string;
}

/** A change of an order, which a request made. */
export interface OrderChange {
  readonly type: string;
  readonly orderId: string;
  readonly at: number;
}

/** Times that bound the past, milliseconds since 1970. */
interface Past {
  /** When the key that has expired since was created. */
  readonly begin: number;
  /** When the two other keys were created: programs use them from then on. */
  readonly handover: number;
  readonly expiry: number;
  readonly now: number;
  readonly changes: readonly OrderChange[];
}

type Request = Omit<DemoCall, 'at' | 'key' | 'clientIp'>;

const hourMs = 3_600_000;

const minuteMs = 60_000;

/** No requests in the last rolling hour, because Redis, which counts it, has no past. */
const quietMs = 61 * minuteMs;

const shopIp = '203.0.113.24';

const websiteIp = '198.51.100.7';

const jobIp = '203.0.113.80';

const list: Request = { method: 'GET', path: '/v2/order', status: 200 };

const profile: Request = { method: 'GET', path: '/v2/businesses/me', status: 200 };

/** Mistakes of the shop, in turn. */
const mistakes: readonly Request[] = [
  { method: 'GET', path: '/v2/order/ord_00000000000000000000', status: 404, error: 'Order not found' },
  { method: 'GET', path: '/v2/orders', status: 404, refusal: 'no_route', error: 'not found' },
  { method: 'DELETE', path: '/v2/order', status: 405, refusal: 'method', error: 'method not allowed' },
  {
    method: 'POST',
    path: '/v2/order',
    status: 400,
    invalidInput: 'invalid_body line_items',
    error: 'line_items: is required',
  },
];

const timeout: Request = {
  ...list,
  status: 504,
  refusal: 'upstream_timeout',
  error: 'the service behind the gateway did not respond in time',
};

/** Hours of the day (UTC) in which the shop and the website send requests. */
const open = { from: 6, until: 22 };

/** The hour of the day (UTC) with timeouts. */
const slowHour = 11;

const unscoped: Request = { ...list, status: 403, refusal: 'insufficient_scope' };

const expired: Request = { ...list, status: 401, refusal: 'expired', error: 'API key has expired' };

/** Hours between runs of a forgotten job, which still uses the expired key. */
const jobHours = 8;

/**
 * Every request of the demo keys: two weeks of hourly requests by a shop and a website, the changes of orders, and the job.
 * Counts, failed requests and last uses all derive from these.
 */
export function demoCalls({ begin, handover, expiry, now, changes }: Past): DemoCall[] {
  const calls: DemoCall[] = changes.map(({ type, orderId, at }) => ({
    ...requestOf(type, orderId),
    key: at < handover ? 'expiredKey' : 'secretKey',
    at,
    clientIp: shopIp,
  }));
  for (const hour of hoursBetween(handover, now).filter(isOpen)) {
    calls.push(...within(hour, shopRequests(hour), 'secretKey', shopIp));
    calls.push(...within(hour, websiteRequests(hour), 'restrictedKey', websiteIp));
  }
  for (const hour of hoursBetween(begin, now).filter((each) => (each / hourMs) % jobHours === 0)) {
    calls.push(...within(hour, [minuteOf(hour) < expiry ? list : expired], 'expiredKey', jobIp));
  }
  return calls.filter(({ at }) => at < now - quietMs).sort((a, b) => a.at - b.at);
}

/** Starts of the hours between two times. */
function hoursBetween(from: number, to: number): number[] {
  const first = Math.ceil(from / hourMs);
  return Array.from({ length: Math.ceil(to / hourMs) - first }, (_, index) => (first + index) * hourMs);
}

function isOpen(hour: number): boolean {
  const ofDay = new Date(hour).getUTCHours();
  return ofDay >= open.from && ofDay < open.until;
}

/** The minute of an hour in which programs send their requests. */
function minuteOf(hour: number): number {
  return hour + (((hour / hourMs) * 17) % 60) * minuteMs;
}

function within(hour: number, requests: readonly Request[], key: DemoKeyName, clientIp: string): DemoCall[] {
  const at = (index: number) => minuteOf(hour) + Math.floor((index * minuteMs) / requests.length);
  return requests.map((request, index) => ({ ...request, key, at: at(index), clientIp }));
}

function requestOf(type: string, orderId: string): Request {
  return type === 'order.created'
    ? { method: 'POST', path: '/v2/order', status: 201 }
    : { method: 'PATCH', path: `/v2/order/${orderId}`, status: 200 };
}

function shopRequests(hour: number): Request[] {
  const successes = busyness(hour, 60);
  const refused = Math.floor(successes / 23);
  const timeouts = new Date(hour).getUTCHours() === slowHour ? 2 : 0;
  return [
    ...repeat(successes, () => list),
    ...repeat(refused, (index) => mistakes[(hour / hourMs + index) % mistakes.length] ?? list),
    ...repeat(timeouts, () => timeout),
  ];
}

function websiteRequests(hour: number): Request[] {
  const successes = busyness(hour, 25);
  return [...repeat(successes, () => profile), ...repeat(Math.floor(successes / 23), () => unscoped)];
}

/** Requests of an hour: most in the afternoon, and not the same every day. */
function busyness(hour: number, usual: number): number {
  const time = new Date(hour);
  const wave = 1.2 + Math.sin(((time.getUTCHours() - 8) / 24) * 2 * Math.PI);
  return Math.round(usual * wave * (0.6 + ((time.getUTCDay() || 7) % 5) / 8));
}

/** Body of an error, as the gateway or business-service sends it; undefined for a call that succeeded. */
export function errorBodyOf({ status, error }: Pick<DemoCall, 'status' | 'error'>): string | undefined {
  return status < 400 ? undefined : JSON.stringify(httpErrorBody(status, error));
}

/** Bytes of a response: an error, a business, an order, or a page of these. @param index makes orders differ */
export function responseBytesOf(
  call: Pick<DemoCall, 'method' | 'path' | 'status' | 'error'>,
  index: number,
): number {
  const error = errorBodyOf(call);
  if (error !== undefined) return error.length;
  if (call.path === profile.path) return 194;
  const order = 480 + ((index * 37) % 160);
  return call.method === 'GET' ? 20 * order : order;
}

const repeat = (count: number, request: (index: number) => Request): Request[] =>
  Array.from({ length: count }, (_, index) => request(index));
