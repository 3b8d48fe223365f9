import { redactSecrets } from './redact-secrets.ts';

const slash = 0x2f;
const percent = 0x25;
/** A segment of this length may hold a secret. */
const long = 30;
/** No path of ours has one; a secret has, also where its prefix or its end is missing. */
const longWord = /[0-9A-Za-z]{30,}/g;

/** A path for a log or a record: printable, and without what looks like a secret, encoded or not. */
export function redactPath(path: string): string {
  if (isPlain(path)) return path;
  const decoded = decode(path);
  const redacted = redact(decoded);
  const kept = redacted === decoded ? redact(path) : redacted;
  return kept.replaceAll(/[^\x20-\x7e]/g, '?');
}

/** Whether nothing needs a closer look, as in nearly every path. A regular expression takes twenty times as long. */
function isPlain(path: string): boolean {
  let length = 0;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code <= 0x20 || code >= 0x7f || code === percent) return false;
    length = code === slash ? 0 : length + 1;
    if (length >= long) return false;
  }
  return true;
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
