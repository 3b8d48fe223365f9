import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const limitMs = 10_000;

/**
 * Does what makes the platform write a mail, and waits for it.
 * @param start how the wanted link begins: a path with its query, as `/signup/confirm?token=`
 * @returns path and query of the link. @throws when no such mail comes in ten seconds
 */
export async function mailedPath(
  directory: string,
  start: string,
  ask: () => Promise<unknown>,
): Promise<string> {
  const before = new Set(list(directory));
  await ask();
  const giveUpAt = performance.now() + limitMs;
  while (performance.now() < giveUpAt) {
    for (const file of list(directory).filter((name) => !before.has(name))) {
      const path = findPath(readFileSync(join(directory, file), 'utf8'), start);
      if (path !== undefined) return path;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`no mail with ${start} came to ${directory}`);
}

function list(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** The path, once the mail is written as far as the end of its line. */
function findPath(mail: string, start: string): string | undefined {
  const text = decodeQuotedPrintable(mail);
  const [, rest] = text.split(start);
  const end = rest?.search(/\s/) ?? -1;
  return rest === undefined || end === -1 ? undefined : start + rest.slice(0, end);
}

/** RFC 2045 section 6.7, for ASCII. */
function decodeQuotedPrintable(text: string): string {
  return text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
