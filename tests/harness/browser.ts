import { type HttpResponse, request } from './http-request.ts';

export interface BrowserOptions {
  /** Sent with every request: `X-Forwarded-For` and the like, where the test stands in for the gateway. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser without script, with cookies, redirects and forms. */
export interface Browser {
  /** Cookies by name. */
  readonly cookies: Map<string, string>;
  /** Value of the session's cookie. @throws when it is set before a page has set the cookie: its name has the platform's port */
  session: string | undefined;
  /** The latest page with its path. */
  readonly page: { readonly path: string; readonly response: HttpResponse };
  /** Sends one request with the cookies, and follows no redirect. */
  send(method: string, path: string, options?: SendOptions): Promise<HttpResponse>;
  /** Sends a GET, and follows redirects and refreshes within the origin to the page. */
  open(path: string): Promise<HttpResponse>;
  /**
   * Fills in the form of the latest page that posts to `action`, hidden fields included, and sends it. Follows nothing.
   * @throws when the page has no such form
   */
  submit(action: string, fields?: Readonly<Record<string, string>>): Promise<HttpResponse>;
  /** Submits the form, and then follows to the page. */
  submitAndFollow(action: string, fields?: Readonly<Record<string, string>>): Promise<HttpResponse>;
}

interface SendOptions {
  /** Form fields. */
  readonly form?: Readonly<Record<string, string>> | URLSearchParams | string;
  /** Sent as JSON if there is no form. Text is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const maxRedirects = 5;

const sessionName = /^(?:__Host-)?session(?:-\d+)?$/;

export function createBrowser(port: number, { headers = {} }: BrowserOptions = {}): Browser {
  const cookies = new Map<string, string>();
  let page: Browser['page'] | undefined;
  let nameOfSession: string | undefined;

  const send: Browser['send'] = async (method, path, { form, body, headers: more } = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await request(port, method, path, {
      headers: {
        ...(cookie !== '' && { Cookie: cookie }),
        ...(form !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...headers,
        ...more,
      },
      ...(form === undefined ? { body } : { body: String(new URLSearchParams(form)) }),
    });
    for (const line of response.headers['set-cookie'] ?? []) storeCookie(cookies, line);
    nameOfSession = [...cookies.keys()].find((name) => sessionName.test(name)) ?? nameOfSession;
    return response;
  };
  const follow = async (path: string, response: HttpResponse): Promise<HttpResponse> => {
    let at = path;
    let current = response;
    for (let hop = 0; hop < maxRedirects; hop++) {
      page = { path: at, response: current };
      const next = nextPath(current);
      if (next === undefined) return current;
      at = next;
      current = await send('GET', at);
    }
    throw new Error(`More than ${maxRedirects} redirects from ${path}.`);
  };
  const submit: Browser['submit'] = async (action, fields = {}) => {
    if (page === undefined) throw new Error('No page is open.');
    return send('POST', action, { form: { ...hiddenFields(page.response.text, action), ...fields } });
  };
  return {
    cookies,
    get session() {
      return [...cookies].find(([name]) => sessionName.test(name))?.[1];
    },
    set session(value) {
      if (nameOfSession === undefined) throw new Error('No page has set a session.');
      if (value === undefined) cookies.delete(nameOfSession);
      else cookies.set(nameOfSession, value);
    },
    get page() {
      if (page === undefined) throw new Error('No page is open.');
      return page;
    },
    send,
    open: async (path) => follow(path, await send('GET', path)),
    submit,
    submitAndFollow: async (action, fields) => follow(action, await submit(action, fields)),
  };
}

/** Hidden fields of the form that posts to `action`. @throws when the page has no such form */
export function hiddenFields(page: string, action: string): Record<string, string> {
  const forms = [...page.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)];
  const [, , form] = forms.find(([, to = '']) => decode(to) === action) ?? [];
  if (form === undefined) throw new Error(`The page has no form for ${action}:\n${page}`);
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [decode(name), decode(value)]));
}

/** Text of an attribute or element as a browser reads it. */
export function decode(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';', 1);
  const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
  if (/; *(Max-Age=0|Expires=Thu, 01 Jan 1970)/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** Path that a response leads to within the origin; undefined for a page, or another origin. */
function nextPath({ status, headers, text }: HttpResponse): string | undefined {
  const refresh = /<meta http-equiv="refresh" content="0; url=([^"]*)"/.exec(text)?.[1];
  const target = status === 303 ? headers.location : refresh === undefined ? undefined : decode(refresh);
  return target?.startsWith('/') ? target : undefined;
}
