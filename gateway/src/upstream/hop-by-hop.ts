/** Headers that speak of one connection only (RFC 9110 section 7.6.1, with their older relatives). */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** Names that a Connection header declares to be of this connection only, in lower case. */
export function namedByConnection(connection: string | undefined): readonly string[] {
  if (connection === undefined) return [];
  return connection.split(',').map((name) => name.trim().toLowerCase());
}
