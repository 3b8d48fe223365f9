import { checkedTokenLength, checkedTokenPrefix } from '@platform/service-kit/secrets/checked-token.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { ExposedRequest } from '../edge/plain-http.ts';
import type { UsageClient } from './usage.ts';

/*
 * Does the same for client secrets as exposed-credentials.ts does for keys and tokens: a request over http is refused
 * unread, and identity-service checks after the response whether its client secret is right.
 */

/** Reports client secrets that came over http. */
export interface ExposedSecrets {
  record(request: ExposedRequest): void;
  /** Waits for the reports in progress; each has a deadline. */
  settle(): Promise<void>;
}

interface ExposedSecretsDeps {
  readonly client: Pick<UsageClient, 'rpc'>;
  /** Count reports per network and in total. Return 0 while another report is allowed. */
  readonly limits: Readonly<Record<'network' | 'all', { count(name: string): number }>>;
}

/** Reports at a time. */
const maxPending = 16;

const deadlineMs = 2_000;

export function createExposedSecrets({ client, limits }: ExposedSecretsDeps): ExposedSecrets {
  const pending = new Set<Promise<void>>();

  const isLimited = (clientIp: string) =>
    limits.network.count(addressBlock(clientIp)) > 0 || limits.all.count('') > 0;

  return {
    record: ({ at, ...request }) => {
      const { authorization, body, clientIp } = request;
      if (!hasClientSecret(basicText(authorization)) && !hasClientSecret(body)) return;
      if (pending.size >= maxPending || isLimited(clientIp)) return;
      const report = client.rpc.RecordExposedSecret({ ...request, atUnixMs: at }, { deadlineMs });
      const sent = report
        .then(
          () => undefined,
          // The report is lost while identity-service is unavailable, like look-ups of exposed credentials.
          () => undefined,
        )
        .finally(() => pending.delete(sent));
      pending.add(sent);
    },
    settle: async () => {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** User and password of a Basic header; empty for any other. */
function basicText(authorization: string): string {
  const base64 = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  return base64 === undefined ? '' : Buffer.from(base64, 'base64').toString('utf8');
}

const candidates = new RegExp(`cs_[0-9A-Za-z]{${checkedTokenLength}}`, 'g');

/** Whether a text has a client secret with the right checksum: random text is not reported. */
function hasClientSecret(text: string): boolean {
  return (text.match(candidates) ?? []).some((candidate) => checkedTokenPrefix(candidate) !== undefined);
}
