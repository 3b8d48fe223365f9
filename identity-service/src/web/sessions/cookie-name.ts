/**
 * Name of a cookie of the platform. Under https it is bound to its host (`__Host-`). Browsers send cookies to every port of a host,
 * so a port is part of the name: two platforms on one host would end each other's sessions.
 */
export function cookieName(name: 'device' | 'session', publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl);
  return `${protocol === 'https:' ? '__Host-' : ''}${name}${port === '' ? '' : `-${port}`}`;
}
