/** Content-Security-Policy of a page; `extra` replaces or adds directives. */
export function contentSecurityPolicy(extra: Readonly<Record<string, string>> = {}): string {
  const directives = {
    'default-src': "'none'",
    'style-src': "'self'",
    'img-src': "'self'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
    ...extra,
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

/**
 * Headers of every page: no script, no frame, nothing from elsewhere, not stored. A page may override some.
 * @param publicUrl origin of the platform; https adds Strict-Transport-Security
 */
export function securityHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(),
    'Cache-Control': 'no-store',
    // A page that opened this one, or that it opens, cannot navigate it or see whether it is open.
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    // Not no-referrer, with which browsers send `Origin: null` with our own forms.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    // In lower case, so that it replaces one that the connection itself asks for.
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
