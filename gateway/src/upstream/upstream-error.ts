import type { GatewayError } from '../http/answer-error.ts';
import { UpstreamSaturated, UpstreamTimeout } from './agent.ts';

/** What the caller is told when the upstream gave no answer: 504 for silence, 503 for overload, else 502. */
export function upstreamErrorOf(error: Error): GatewayError {
  const headers = { 'Retry-After': '1' };
  if (error instanceof UpstreamTimeout) {
    return {
      code: 504,
      reason: 'upstream_timeout',
      text: 'the service behind the gateway did not answer in time',
    };
  }
  if (error instanceof UpstreamSaturated) {
    return {
      code: 503,
      reason: 'upstream_saturated',
      text: 'the service behind the gateway is busy',
      headers,
    };
  }
  return {
    code: 502,
    reason: 'upstream_failed',
    text: 'the service behind the gateway did not answer',
    headers,
  };
}
