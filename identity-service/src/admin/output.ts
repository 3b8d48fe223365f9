import type { Propagation } from '@platform/protos/identity';
import { AppError } from '@platform/service-kit/app-error.ts';

/** Rows under their headings, in columns as wide as their widest cell. */
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

/** One record: a line per field. */
export function formatRecord(fields: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${`${name.padEnd(width)}  ${value}`.trimEnd()}\n`)
    .join('');
}

/** Where commands read their surroundings and write their answers. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  out(text: string): void;
  err(text: string): void;
}

/** How a command ended, as the shell sees it. */
export const exitCodes = {
  done: 0,
  /** The services refused, or did not answer. */
  failed: 1,
  usage: 2,
  /** Done, but gateways have not confirmed yet. */
  pending: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A moment of the protos (milliseconds since 1970, 0 for none) as RFC 3339 in UTC. */
export function toMoment(unixMs: number): string | null {
  return unixMs === 0 ? null : new Date(unixMs).toISOString();
}

/** A message that an answer always carries. @throws AppError internal when it does not */
export function present<T>(message: T | null): T {
  if (message === null)
    throw new AppError('internal', 'empty_answer', 'the service answered without a record');
  return message;
}

/** A propagation as `--json` prints it; nothing where there is none. */
export function propagationJson(propagation: Propagation | undefined) {
  if (propagation === undefined) return {};
  return { propagation: propagation === 'PROPAGATION_PENDING' ? 'pending' : 'confirmed' };
}

/** What standard error says while gateways have not confirmed. @param done what has happened, as `revoked` */
export function pendingNotice(done: string, propagation: Propagation | undefined): string | undefined {
  return propagation === 'PROPAGATION_PENDING' ? `${done}; gateways confirm within 30 s` : undefined;
}
