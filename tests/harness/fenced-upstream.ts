import { type RawOptions, type RawResponse, rawRequest } from './raw-request.ts';
import { type RecordingUpstream, recordingUpstream } from './recording-upstream.ts';
import { bearerLine, requestBytes } from './request-bytes.ts';

/** An upstream that reports when no more requests are on their way to it. */
export interface FencedUpstream extends RecordingUpstream {
  /**
   * Sends bytes to a gateway in front of it, and then one more request with that key as the fence.
   * @param options of the bytes: how many responses they get, and how long silence is waited for
   */
  send(
    port: number,
    keyString: string,
    bytes: string | readonly string[],
    options?: RawOptions,
  ): Promise<RawResponse>;
  /** `METHOD target body` of each complete request except the fence. @throws when the fence was not the last one */
  arrived(): string[];
}

export async function fencedUpstream(): Promise<FencedUpstream> {
  const upstream = await recordingUpstream();
  return {
    ...upstream,
    send: async (port, keyString, bytes, options) => {
      const response = await rawRequest(port, bytes, { quietMs: 150, ...options });
      const fence = requestBytes('GET', '/v2/order?fence', [bearerLine(keyString), 'Connection: close']);
      await rawRequest(port, fence);
      return response;
    },
    arrived: () => {
      const whole = upstream.requests.filter(({ complete }) => complete);
      const lines = whole.map(({ method, target, body }) => `${method} ${target} ${body.toString('latin1')}`);
      const last = lines.pop();
      if (last !== 'GET /order?fence ') throw new Error(`The fence did not come last, but: ${last}`);
      return lines;
    },
  };
}
