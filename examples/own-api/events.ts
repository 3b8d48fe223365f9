import { fileURLToPath } from 'node:url';
import { credentials, loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** An event of this service, as its document describes it. */
export interface OwnEvent {
  /** `business_id` of the passport. */
  readonly businessId: number;
  readonly type: string;
  readonly data: object;
  /** The same for each attempt to send it. */
  readonly idempotencyId: string;
}

type Callback = (error: Error | null, response?: { readonly eventId: string }) => void;

interface Feed {
  SendEvent(request: object, options: { readonly deadline: number }, callback: Callback): void;
}

interface Package {
  readonly business: {
    readonly v1: { readonly EventFeedService: new (target: string, tls: unknown) => Feed };
  };
}

/**
 * Sends events to the feed and the webhooks of the platform. Resolves to the identifier of the event.
 * @param target of business-service, such as `dns:///business-service:5000`
 * @param tls with GRPC_TLS=mutual: the authority, and the certificate and key of this service
 */
export function createEventSender(
  target: string,
  tls?: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer },
): (event: OwnEvent) => Promise<string> {
  const file = fileURLToPath(new URL('../../protos/business/v1/event.proto', import.meta.url));
  const { business } = loadPackageDefinition(loadSync(file)) as unknown as Package;
  const channel = tls ? credentials.createSsl(tls.ca, tls.key, tls.cert) : credentials.createInsecure();
  const feed = new business.v1.EventFeedService(target, channel);
  return ({ data, ...event }) =>
    new Promise((resolve, reject) => {
      const request = { ...event, data: JSON.stringify(data) };
      feed.SendEvent(request, { deadline: Date.now() + 5_000 }, (error, response) =>
        response === undefined ? reject(error) : resolve(response.eventId),
      );
    });
}
