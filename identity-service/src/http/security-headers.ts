import type { RequestHandler } from 'express';

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

/** What every answer carries; a handler may override. */
export function securityHeaders(publicUrl: string): RequestHandler {
  const headers: Record<string, string> = {
    'Content-Security-Policy': contentSecurityPolicy(),
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
  if (publicUrl.startsWith('https:')) headers['Strict-Transport-Security'] = 'max-age=31536000';
  return function setSecurityHeaders(_req, res, next) {
    res.set(headers);
    next();
  };
}
