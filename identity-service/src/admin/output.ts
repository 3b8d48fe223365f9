import type { Propagation } from '@platform/protos/identity';
import { AppError } from '@platform/service-kit/app-error.ts';

/** Formats rows under headings, in columns as wide as their widest cell. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => {
      const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** Formats one record, a line per field. */
export function formatRecord(fields: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${`${name.padEnd(width)}  ${value}`.trimEnd()}\n`)
    .join('');
}

/** Environment, clock and output streams of a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  out(text: string): void;
  err(text: string): void;
}

/** Exit codes of commands. */
export const exitCodes = {
  done: 0,
  /** A service refused the request or is unavailable. */
  failed: 1,
  usage: 2,
  /** Done, but gateways have not confirmed yet. */
  pending: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Formats a time of the protos (milliseconds since 1970, 0 for none) as RFC 3339 in UTC. */
export function formatTime(unixMs: number): string | null {
  return unixMs === 0 ? null : new Date(unixMs).toISOString();
}

/** A message that a response must contain. @throws AppError internal when it is missing */
export function requireMessage<T>(message: T | null): T {
  if (message === null)
    throw new AppError('internal', 'empty_response', 'the response of the service has no record');
  return message;
}

/** Propagation for `--json`; empty without one. */
export function propagationJson(propagation: Propagation | undefined) {
  if (propagation === undefined) return {};
  return { propagation: propagation === 'PROPAGATION_PENDING' ? 'pending' : 'confirmed' };
}

/** Notice for standard error while gateways have not confirmed. @param done the change, such as `revoked` */
export function pendingNotice(done: string, propagation: Propagation | undefined): string | undefined {
  return propagation === 'PROPAGATION_PENDING' ? `${done}; gateways confirm within 30 s` : undefined;
}
