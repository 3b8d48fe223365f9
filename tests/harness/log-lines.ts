import { readFileSync } from 'node:fs';
import type { TestService } from './service.ts';

/** A line of a service's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly requestId?: string;
  /** Of a sampled request. */
  readonly traceId?: string;
  /** Name of the rpc, or the HTTP method. */
  readonly method?: string;
  /** Why the gateway responded itself. */
  readonly refusal?: string;
  /** Of a webhook. */
  readonly endpointId?: string;
}

/** Log lines of a service so far. A service writes them within 200 ms and in pieces, so the last line may be incomplete. */
export function logLines({ logFile }: Pick<TestService, 'logFile'>): LogLine[] {
  return readFileSync(logFile, 'utf8')
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}

/** Log lines of one request, as `request`, or as `rpc Authorize`. */
export function linesOf(service: Pick<TestService, 'logFile'>, requestId: string): string[] {
  return logLines(service)
    .filter((line) => line.requestId === requestId)
    .map(({ msg, method }) => (msg === 'rpc' ? `rpc ${method}` : msg));
}
