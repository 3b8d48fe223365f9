import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { signatureError } from './signature.ts';

/** Path of the endpoint's URL. */
const path = '/canary/webhooks';

/** Bytes of a delivery, which has less than 64 kB. */
const maxBytes = 128_000;

/** Limits for a public port: milliseconds for a whole request, and concurrent connections. */
const limits = { requestTimeout: 10_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 };
const maxConnections = 100;

/** A request with the event that was awaited. */
export interface Delivery {
  /** webhook-id; empty without one. */
  readonly id: string;
  /** Milliseconds of performance.now(). */
  readonly at: number;
  /** Error of its signature; undefined when it is valid. */
  readonly error: string | undefined;
}

export interface Receiver {
  readonly port: number;
  /** Collects deliveries of an event until one is verified, `withinMs` milliseconds have passed, or the receiver closes. */
  awaitEvent(nonce: string, withinMs: number): Promise<Delivery[]>;
  close(): Promise<void>;
}

const eventBody = z.object({ data: z.object({ metadata: z.object({ canary: z.string() }) }) });

interface ReceiverOptions {
  readonly host: string;
  readonly port: number;
  readonly secret: Buffer;
}

/**
 * Receives deliveries of the canary's endpoint. Its URL is public, so only requests with the secret nonce of an awaited event
 * count. @throws when the address cannot be bound
 */
export async function startReceiver({ host, port, secret }: ReceiverOptions): Promise<Receiver> {
  const awaited = new Map<string, (delivery: Delivery) => void>();
  const closing = new AbortController();
  const receive = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await bodyOf(req);
    if (req.method !== 'POST' || req.url !== path || body === undefined) {
      res.writeHead(404, { Connection: 'close' }).end();
      return;
    }
    const error = signatureError(secret, singleHeaders(req), body, Date.now() / 1000);
    const id = singleHeaders(req)['webhook-id'] ?? '';
    awaited.get(nonceOf(body) ?? '')?.({ id, at: performance.now(), error });
    res.writeHead(error === undefined ? 204 : 401).end();
  };
  const server = createServer(limits, (req, res) => void receive(req, res).catch(() => res.destroy()));
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    awaitEvent: (nonce, withinMs) =>
      new Promise((resolve) => {
        const found: Delivery[] = [];
        const end = () => {
          clearTimeout(timer);
          closing.signal.removeEventListener('abort', end);
          awaited.delete(nonce);
          resolve(found);
        };
        const timer = setTimeout(end, withinMs);
        closing.signal.addEventListener('abort', end);
        awaited.set(nonce, (delivery) => {
          found.push(delivery);
          if (delivery.error === undefined) end();
        });
      }),
    close: async () => {
      closing.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function singleHeaders({ headers }: IncomingMessage) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** The whole body; undefined when it is too large. */
async function bodyOf(req: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function nonceOf(body: Buffer): string | undefined {
  try {
    return eventBody.safeParse(JSON.parse(body.toString())).data?.data.metadata.canary;
  } catch {
    return undefined;
  }
}
