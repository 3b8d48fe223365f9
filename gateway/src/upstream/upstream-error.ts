import {
  type GatewayError,
  malformedUpstreamResponse,
  upstreamFailed,
  upstreamTimeout,
} from '../http/gateway-error.ts';
import { UpstreamTimeout } from './agent.ts';

/** What the client is told when the upstream gave no response: 504 for silence, 502 for everything else. */
export function upstreamErrorOf(error: Error): GatewayError {
  if (error instanceof UpstreamTimeout) return upstreamTimeout;
  const isParseError = 'code' in error && typeof error.code === 'string' && error.code.startsWith('HPE_');
  return isParseError ? malformedUpstreamResponse : upstreamFailed;
}
