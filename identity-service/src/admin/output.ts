import type { Propagation } from '../platform/credential-generations.ts';

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
  /** It was refused, or something is unavailable. */
  failed: 1,
  usage: 2,
  /** Done, but gateways have not confirmed yet. */
  pending: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Formats a time, in milliseconds since 1970, as RFC 3339 in UTC; null for none. */
export function formatTime(unixMs: number): string;
export function formatTime(unixMs: number | null | undefined): string | null;
export function formatTime(unixMs: number | null | undefined): string | null {
  return typeof unixMs === 'number' ? new Date(unixMs).toISOString() : null;
}

/** Propagation for `--json`; empty without one. */
export function propagationJson(propagation: Propagation | undefined) {
  return propagation === undefined ? {} : { propagation };
}

/** Notice for standard error while gateways have not confirmed. @param done the change, such as `revoked` */
export function pendingNotice(done: string, propagation: Propagation | undefined): string | undefined {
  return propagation === 'pending' ? `${done}; gateways confirm within 30 s` : undefined;
}
