import { readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Supervisor } from './supervisor.ts';

/**
 * Prints each mail that is written from now on, with its first link: a person who signs up on this machine has no mailbox for it.
 * @param directory of the mails, which appear in it whole
 */
export function sayMails(directory: string, { say, onEnd }: Pick<Supervisor, 'say' | 'onEnd'>): void {
  const known = new Set(readdirSync(directory));
  const watcher = watch(directory, () => {
    for (const name of readdirSync(directory).sort()) {
      if (!name.endsWith('.eml') || known.has(name)) continue;
      known.add(name);
      say(describeMail(readFileSync(join(directory, name), 'utf8')));
    }
  });
  onEnd(() => watcher.close());
}

/** One mail in two lines: to whom and about what, and its first link. */
export function describeMail(raw: string): string {
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(raw)?.[1]?.trim() ?? '';
  const [link] =
    /https?:\/\/\S+/.exec(raw.replaceAll('\r\n', '\n').split('\n\n').slice(1).join('\n\n')) ?? [];
  const subject = `Mail to ${header('To')}: ${header('Subject')}`;
  return link === undefined ? subject : `${subject}\n  ${link}`;
}
