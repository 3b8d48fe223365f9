import { contentSecurityPolicy } from '../security-headers.ts';

/**
 * Content-Security-Policy of the consent page. Chromium applies `form-action` to every redirect after a form as well: to
 * the redirect URI, and to wherever the application sends the browser from there. So the schemes are named, not hosts.
 */
export function consentPolicy(redirectUri: string): string {
  const schemes = redirectUri.startsWith('https:') ? 'https:' : 'https: http:';
  return contentSecurityPolicy({ 'form-action': `'self' ${schemes}` });
}
