import type { IncomingMessage } from 'node:http';

/**
 * The case that a request asks for with `Prefer: simulate=…` (RFC 7240), in lower case; undefined for none. Other preferences are
 * ignored, as the RFC demands.
 */
export function simulatedCase({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const preferences = String(headers.prefer ?? '').match(/(?:[^",]|"[^"]*")+/g) ?? [];
  for (const preference of preferences) {
    const [, quoted, plain] =
      /^\s*simulate\s*=\s*(?:"([a-z-]+)"|([a-z-]+))\s*(?:;|$)/i.exec(preference) ?? [];
    const name = quoted ?? plain;
    if (name !== undefined) return name.toLowerCase();
  }
  return undefined;
}
