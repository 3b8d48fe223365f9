import { lookup } from 'node:dns/promises';
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';

/** One gateway: an address of an origin. */
export interface Replica {
  /** Address and port. */
  readonly name: string;
  /** @throws when no response comes in time */
  send(request: Sent): Promise<Received>;
}

/** A request to a gateway. */
export interface Sent {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** API key or access token. */
  readonly bearer?: string;
  readonly body?: URLSearchParams | object;
}

/** A request and its response. Times are milliseconds of a clock that never goes back. */
export interface Asked {
  readonly status: number;
  /** X-Request-Id of the response; empty without one. */
  readonly requestId: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The same with the response itself. */
export interface Received extends Asked {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with a credential to a gateway. @throws when no response comes in time */
export function ask(replica: Pick<Replica, 'send'>, bearer: string): Promise<Asked> {
  return replica.send({ method: 'GET', path: '/v2/businesses/me', bearer });
}

/** An error that names the gateway and the request. */
export function unexpected(
  { name }: Pick<Replica, 'name'>,
  did: string,
  { status, requestId }: Asked,
): Error {
  return new Error(`${name} ${did}: ${status}, request ${requestId}`);
}

/** @throws the reason of the first that was rejected */
export function throwFirst(settled: readonly PromiseSettledResult<unknown>[]): void {
  for (const each of settled) if (each.status === 'rejected') throw each.reason;
}

/** Longest time for a response. */
const timeoutMs = 5_000;

export interface Gateways {
  /** Every replica there is now. @throws when a name cannot be resolved */
  replicas(): Promise<Replica[]>;
  close(): void;
}

/** @param ca certificate authority of https origins */
export function createGateways(origins: readonly URL[], ca: string | undefined): Gateways {
  const agents = {
    plain: new Agent({ keepAlive: true }),
    tls: new TlsAgent({ keepAlive: true, ...(ca && { ca }) }),
  };
  return {
    replicas: async () => {
      const found = await Promise.all(origins.map((origin) => replicasOf(origin, agents)));
      return [...new Map(found.flat().map((replica) => [replica.name, replica])).values()];
    },
    close: () => {
      agents.plain.destroy();
      agents.tls.destroy();
    },
  };
}

interface Agents {
  readonly plain: Agent;
  readonly tls: TlsAgent;
}

async function replicasOf(origin: URL, { plain, tls }: Agents): Promise<Replica[]> {
  const isTls = origin.protocol === 'https:';
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const port = Number(origin.port || (isTls ? 443 : 80));
  const addresses = await lookup(host, { all: true });
  return addresses.map(({ address, family }) => {
    const servername = isIP(host) ? {} : { servername: host };
    const open = ({ method, path, ...sent }: Sent) => {
      const headers = { ...headersOf(sent), Host: origin.host };
      const options = { host: address, port, method, path, headers, signal: AbortSignal.timeout(timeoutMs) };
      return isTls
        ? httpsRequest({ ...options, ...servername, agent: tls })
        : httpRequest({ ...options, agent: plain });
    };
    return {
      name: `${family === 6 ? `[${address}]` : address}:${port}`,
      send: (sent) => receive(open, sent),
    };
  });
}

function headersOf({ headers, bearer, body }: Pick<Sent, 'headers' | 'bearer' | 'body'>) {
  const isForm = body instanceof URLSearchParams;
  return {
    ...headers,
    ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    ...(body && { 'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
  };
}

async function receive(open: (sent: Sent) => ReturnType<typeof httpRequest>, sent: Sent): Promise<Received> {
  const { body } = sent;
  const startedAt = performance.now();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const content = body instanceof URLSearchParams ? String(body) : body && JSON.stringify(body);
    open(sent).once('response', resolve).once('error', reject).end(content);
  });
  const content = await text(response);
  const requestId = response.headers['x-request-id'];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: content,
    requestId: typeof requestId === 'string' ? requestId : '',
    startedAt,
    endedAt: performance.now(),
  };
}
