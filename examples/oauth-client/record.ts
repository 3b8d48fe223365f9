// For demonstration only: records what the client sends and receives. A real application does not need this file.
import type { Fetch } from '@business-api/client';
import type { Step } from './page.ts';

const shownHeaders = [
  'content-type',
  'cache-control',
  'www-authenticate',
  'retry-after',
  'ratelimit',
  'x-request-id',
];

/** `fetch` that adds a step for each request. */
export function recordTo(steps: Step[]): Fetch {
  return async (url, init) => {
    const { method = 'GET', headers } = init;
    const { host, pathname } = url;
    const body = String(init.body ?? '');
    const form = new URLSearchParams(pathname.startsWith('/v2/oauth/') ? body : '');
    const lines = [`${method} ${pathname} HTTP/1.1`, `host: ${host}`, ...headerLines(new Headers(headers))];
    const fields = [...form].map(([name, value]) => `${name}=${value}`);
    const content = fields.length > 0 ? fields.join('\n') : pretty(body);
    const request = [...lines, '', content].join('\n').trimEnd();
    const step = { title: titleOf(pathname, form.get('grant_type')), request };
    try {
      const response = await fetch(url, init);
      steps.push({ ...step, response: await describe(response.clone()), failed: !response.ok });
      return response;
    } catch (error) {
      steps.push({ ...step, response: String(error), failed: true });
      throw error;
    }
  };
}

function titleOf(path: string, grantType: string | null): string {
  if (path.endsWith('/revoke')) return 'Revocation';
  if (grantType === 'refresh_token') return 'Refresh';
  return grantType === 'authorization_code' ? 'Token exchange' : 'API request';
}

async function describe(response: Response): Promise<string> {
  const { status, statusText, headers } = response;
  const shown = headerLines(headers).filter((line) =>
    shownHeaders.some((name) => line.startsWith(`${name}:`)),
  );
  const body = pretty(await response.text());
  return [`HTTP/1.1 ${status} ${statusText}`, ...shown, '', body].join('\n').trimEnd();
}

const headerLines = (headers: Headers) => [...headers].map(([name, value]) => `${name}: ${value}`);

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
