import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const limitMs = 10_000;

/** `fetch` on a connection of its own: one kept open would delay the end of the gateway. Follows no redirect. */
export function send(url: string, { headers, ...options }: RequestInit = {}): Promise<Response> {
  const closing = { ...headers, Connection: 'close' };
  return fetch(url, {
    ...options,
    headers: closing,
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
  });
}

/** A browser without a screen, at the pages of the platform. */
export interface Browser {
  /**
   * Opens a page and sends its form, with the hidden fields in it.
   * @param action of the form
   * @throws when the page has no such form, or the response has not the expected status
   */
  submit(
    path: string,
    action: string,
    fields: Readonly<Record<string, string>>,
    expected: number,
  ): Promise<void>;
}

/** A browser that knows one origin, and keeps its cookies. */
export function openBrowser(origin: string): Browser {
  const cookies = new Map<string, string>();
  const go = async (path: string, body?: URLSearchParams) => {
    const headers = { Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') };
    const response = await send(`${origin}${path}`, { headers, ...(body && { method: 'POST', body }) });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { status: response.status, text: await response.text() };
  };
  return {
    submit: async (path, action, fields, expected) => {
      const page = await go(path);
      const form = page.text.split('<form ').find((text) => text.includes(`action="${action}"`));
      if (form === undefined) throw new Error(`${path}: status ${page.status}, no form for ${action}`);
      const { status, text } = await go(action, new URLSearchParams({ ...hiddenFields(form), ...fields }));
      const [, error = ''] = /class="error"[^>]*>([^<]*)/.exec(text) ?? [];
      if (status !== expected) throw new Error(`${action}: status ${status} instead of ${expected} ${error}`);
    },
  };
}

function hiddenFields(form: string): Record<string, string> {
  const [inside = ''] = form.split('</form>');
  const hidden = inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
}

/**
 * Calls `ask`, which makes the platform write a mail, and waits for the mail.
 * @param start how the wanted link begins: a path with its query, as `/signup/confirm?token=`
 * @returns path and query of the link. @throws when no such mail is written in ten seconds
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
  throw new Error(`no mail with ${start} in ${directory}`);
}

function list(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** The link's path, once its line is complete. */
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
