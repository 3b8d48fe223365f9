import { lookup } from 'node:dns/promises';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';

/** One gateway: an address of an origin. */
export interface Replica {
  /** Address and port. */
  readonly name: string;
  /** Asks who the business is, with a key. @throws when no response comes in time */
  ask(key: string): Promise<Asked>;
}

/** A request and its response. Times are milliseconds of a clock that never goes back. */
export interface Asked {
  readonly status: number;
  /** X-Request-Id of the response; empty without one. */
  readonly requestId: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Longest time for a response. */
const timeoutMs = 5_000;

const path = '/v2/businesses/me';

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
    const target = { host: address, port, path, headers: { Host: origin.host } };
    const servername = isIP(host) ? {} : { servername: host };
    const send = (key: string) => {
      const headers = { ...target.headers, Authorization: `Bearer ${key}` };
      const options = { ...target, headers, signal: AbortSignal.timeout(timeoutMs) };
      return isTls
        ? httpsRequest({ ...options, ...servername, agent: tls })
        : httpRequest({ ...options, agent: plain });
    };
    return { name: `${family === 6 ? `[${address}]` : address}:${port}`, ask: (key) => ask(() => send(key)) };
  });
}

async function ask(send: () => ReturnType<typeof httpRequest>): Promise<Asked> {
  const startedAt = performance.now();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    send().once('response', resolve).once('error', reject).end();
  });
  for await (const _ of response);
  const requestId = response.headers['x-request-id'];
  return {
    status: response.statusCode ?? 0,
    requestId: typeof requestId === 'string' ? requestId : '',
    startedAt,
    endedAt: performance.now(),
  };
}
