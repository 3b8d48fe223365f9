import type { Duplex } from 'node:stream';

/** Whether the gateway itself ends TLS on this connection. */
export function isEncrypted(connection: Duplex): boolean {
  return 'encrypted' in connection && connection.encrypted === true;
}

/** Header by which browsers come with https only, for a year (RFC 6797); said on such connections only. */
export function strictTransport(connection: Duplex): Readonly<Record<string, string>> {
  // In lower case, so that it replaces an upstream's.
  return isEncrypted(connection) ? { 'strict-transport-security': 'max-age=31536000' } : {};
}
