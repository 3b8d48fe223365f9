import { Webhook } from 'standardwebhooks';
import { startUpstream } from './upstream.ts';

/** A request of webhook-service. */
export interface ReceivedWebhook {
  /** `webhook-id`. */
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of the body; empty unless it is JSON. */
  readonly event: Readonly<Record<string, unknown>>;
  /** Milliseconds of performance.now(). */
  readonly at: number;
}

/** How a receiver responds: a status, a status with headers, or never. */
export type Reply =
  | number
  | 'never'
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> };

/** A receiver on loopback that keeps every request. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** Responds so from now on; called once for each request. 204 at first. */
  respond(reply: (webhook: ReceivedWebhook) => Reply | Promise<Reply>): void;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let reply: (webhook: ReceivedWebhook) => Reply | Promise<Reply> = () => 204;
  const { origin, close } = await startUpstream(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const headers = Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    );
    const id = headers['webhook-id'] ?? '';
    const webhook = { id, headers, body, event: parse(body), at: performance.now() };
    received.push(webhook);
    const response = await reply(webhook);
    if (response === 'never') return;
    if (typeof response === 'number') res.writeHead(response).end();
    else res.writeHead(response.status, response.headers).end();
  });
  return {
    url: `${origin}/hook`,
    received,
    respond: (next) => {
      reply = next;
    },
    close,
  };
}

/** The event of a request whose signature is right. @throws when the secret did not sign it */
export function verified(secret: string, { body, headers }: ReceivedWebhook): unknown {
  return new Webhook(secret).verify(body, headers);
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
