import {
  type GatewayError,
  malformedUpstreamResponse,
  upstreamFailed,
  upstreamSaturated,
  upstreamTimeout,
} from '../edge/errors.ts';
import { UpstreamBusy, UpstreamTimeout } from './connect.ts';

/** Errors of undici about a response that is not HTTP; those of the parser begin with HPE_, as node:http's do. */
const malformedCodes: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

/** Further such errors, which share the code of lost connections: an unrequested 101, or bytes before a request. */
const malformedTexts: ReadonlySet<string> = new Set(['bad upgrade', 'bad response']);

/** Error for an upstream without a response: 504 after a time-out, 503 without a connection to it, else 502. */
export function upstreamErrorOf(error: Error): GatewayError {
  if (error instanceof UpstreamTimeout) return upstreamTimeout;
  if (error instanceof UpstreamBusy) return upstreamSaturated;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isMalformed =
    code.startsWith('HPE_') ||
    malformedCodes.has(code) ||
    (code === 'UND_ERR_SOCKET' && malformedTexts.has(error.message));
  return isMalformed ? malformedUpstreamResponse : upstreamFailed;
}
