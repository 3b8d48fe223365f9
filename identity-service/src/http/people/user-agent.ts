import type { Request } from 'express';

const maxLength = 200;

/** What the browser calls itself, fit to be kept and shown. */
export function userAgentOf(req: Request): string {
  return (req.headers['user-agent'] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, maxLength);
}

const browsers = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(HeadlessChrome|Chrome|Chromium|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;

const systems = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** Browser and system in two words; what it calls itself where we know neither. */
export function describeUserAgent(userAgent: string): string {
  const [browser] = browsers.find(([, pattern]) => pattern.test(userAgent)) ?? [];
  const [system] = systems.find(([, pattern]) => pattern.test(userAgent)) ?? [];
  if (browser === undefined && system === undefined) return userAgent || 'Unknown browser';
  return [browser ?? 'Unknown browser', system].filter(Boolean).join(' on ');
}
