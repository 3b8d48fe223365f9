import { redactSecrets } from '@platform/service-kit/redact-secrets.ts';

const maxLength = 200;
/** No path of ours has one; a secret has, also where its prefix or its end is missing. */
const longWord = /[0-9A-Za-z]{30,}/g;

/** A path as it may be kept: printable, short, and without what looks like a secret, encoded or not. */
export function recordablePath(path: string): string {
  const decoded = decode(path);
  const redacted = redact(decoded);
  const kept = redacted === decoded ? redact(path) : redacted;
  return kept.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, maxLength);
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
