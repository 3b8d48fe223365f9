import { createHash, randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { type Received, type Replica, unexpected } from './gateways.ts';
import { type Client, readTokens, requestTokens, type Tokens } from './tokens.ts';

/** An owner of the canary's business, who logs in with a password only. */
export interface Owner {
  readonly email: string;
  readonly password: string;
}

const maxRedirects = 5;

/**
 * Approves the canary's application like an owner in a browser. Keeps cookies, so that it only logs in every twelve hours, and
 * as a known browser.
 */
export function createApproval(owner: Owner, client: Client) {
  const cookies = new Map<string, string>();

  async function send(replica: Replica, path: string, form?: URLSearchParams): Promise<Received> {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const method = form === undefined ? 'GET' : 'POST';
    const received = await replica.send({ method, path, headers: { Cookie }, ...(form && { body: form }) });
    keepCookies(cookies, received.headers);
    return received;
  }

  /** Sends a request and follows redirects within the platform. */
  async function open(replica: Replica, path: string, form?: URLSearchParams): Promise<Received> {
    let page = await send(replica, path, form);
    for (let hop = 0; hop < maxRedirects; hop++) {
      const next = nextPath(page);
      if (next === undefined) return page;
      page = await send(replica, next);
    }
    return page;
  }

  async function submit(replica: Replica, page: Received, action: string, fields: Record<string, string>) {
    return open(replica, action, new URLSearchParams({ ...hiddenFields(page.text, action), ...fields }));
  }

  /** Resolves to tokens of a new or existing Grant. @throws when a page is not as expected */
  return async (replica: Replica): Promise<Tokens> => {
    const verifier = randomBytes(32).toString('base64url');
    let page = await open(replica, authorizePath(client, verifier));
    if (hasForm(page, '/login')) page = await submit(replica, page, '/login', { ...owner });
    if (hasForm(page, '/oauth/consent')) {
      page = await submit(replica, page, '/oauth/consent', { decision: 'approve' });
    }
    const location = page.status === 303 ? URL.parse(page.headers.location ?? '') : null;
    const code = location?.searchParams.get('code') ?? undefined;
    if (code === undefined) throw unexpected(replica, 'did not let the owner approve the application', page);
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const received = await requestTokens(replica, client, fields);
    const tokens = readTokens(received);
    if (tokens === undefined) throw unexpected(replica, 'did not exchange a code', received);
    return tokens;
  };
}

function authorizePath({ clientId, redirectUri }: Client, verifier: string): string {
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    state: 'canary',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `/oauth/authorize?${parameters}`;
}

function keepCookies(cookies: Map<string, string>, { 'set-cookie': lines = [] }: OutgoingHttpHeaders): void {
  for (const line of [lines].flat().map(String)) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
}

/** Path within the platform that a response leads to: by a redirect, or by a page that forwards. */
function nextPath({ status, headers, text }: Received): string | undefined {
  const forward = /<meta http-equiv="refresh" content="0; url=([^"]*)"/.exec(text)?.[1];
  const target = status === 303 ? headers.location : forward && decode(forward);
  return target?.startsWith('/') ? target : undefined;
}

const formsOf = (page: string) => [...page.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)];

const hasForm = ({ text }: Received, action: string) => formsOf(text).some(([, to]) => to === action);

function hiddenFields(page: string, action: string): Record<string, string> {
  const [, , form = ''] = formsOf(page).find(([, to]) => to === action) ?? [];
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, decode(value)]));
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

const decode = (text: string) => text.replace(/&[^;]+;/g, (entity) => entities[entity] ?? entity);
