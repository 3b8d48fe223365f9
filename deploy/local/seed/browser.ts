import { type Answer, send } from '../http/send.ts';

/** Somebody at the pages of the platform, without a screen. */
export interface Browser {
  /**
   * Opens a page and sends its form back, with what is hidden in it.
   * @param action of the form
   * @throws when the page has no such form
   */
  submit(path: string, action: string, fields?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** A browser that knows one origin, and keeps its cookies. */
export function openBrowser(origin: string): Browser {
  const cookies = new Map<string, string>();
  const go = async (path: string, form?: URLSearchParams): Promise<Answer> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { Cookie: cookie, ...(form && { 'Content-Type': 'application/x-www-form-urlencoded' }) };
    const options = { method: form ? 'POST' : 'GET', headers, body: form?.toString() };
    const answer = await send(`${origin}${path}`, options);
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return answer;
  };
  return {
    submit: async (path, action, fields = {}) => {
      const page = await go(path);
      const form = page.text.split('<form ').find((text) => text.includes(`action="${action}"`));
      if (form === undefined) throw new Error(`${path} answered ${page.status} without a form for ${action}`);
      return go(action, new URLSearchParams({ ...hiddenFields(form), ...fields }));
    },
  };
}

function hiddenFields(form: string): Record<string, string> {
  const [inside = ''] = form.split('</form>');
  const hidden = inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
}
