import type { Platform } from './platform.ts';
import { rawRequest } from './raw-request.ts';
import type { RecordedRequest, RecordingUpstream } from './recording-upstream.ts';
import { bearerLine, requestBytes } from './request-bytes.ts';

/** Sends header lines as they are through the gateway of an index. @returns what the upstream got */
export async function forward(
  { gatewayPorts }: Platform,
  upstream: RecordingUpstream,
  keyString: string,
  lines: readonly string[],
  gateway = 0,
): Promise<RecordedRequest> {
  const bytes = requestBytes('GET', '/v2/order', [bearerLine(keyString), ...lines, 'Connection: close']);
  const { statuses } = await rawRequest(gatewayPorts[gateway] ?? 0, bytes);
  const [recorded, ...more] = upstream.requests;
  if (String(statuses) !== '200' || recorded === undefined || more.length > 0) {
    throw new Error(`Not one request for one response: ${statuses}, ${upstream.requests.length} requests`);
  }
  return recorded;
}
