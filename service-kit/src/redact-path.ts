import { redactSecrets } from './redact-secrets.ts';

/** What a path must have for anything in it to be redacted. */
const suspicious = /[0-9A-Za-z_-]{30}|eyJ|[^\x21-\x7e]|%/;
/** No path of ours has one; a secret has, also where its prefix or its end is missing. */
const longWord = /[0-9A-Za-z]{30,}/g;

/** A path for a log or a record: printable, and without what looks like a secret, encoded or not. */
export function redactPath(path: string): string {
  if (!suspicious.test(path)) return path;
  const decoded = decode(path);
  const redacted = redact(decoded);
  const kept = redacted === decoded ? redact(path) : redacted;
  return kept.replaceAll(/[^\x20-\x7e]/g, '?');
}

function redact(text: string): string {
  return redactSecrets(text).replaceAll(longWord, '[redacted]');
}

/** Byte by byte: what is no UTF-8 may hold a secret, too, and secrets are ASCII. */
function decode(path: string): string {
  return path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
