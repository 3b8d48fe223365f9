import { httpErrorBody } from '@platform/service-kit/http/errors.ts';
import type { RouteKind } from '../routes.ts';
import type { GatewayError } from './errors.ts';

interface Rendered {
  readonly code: number;
  readonly headers: GatewayError['headers'];
  readonly type: string;
  readonly body: string;
}

const json = 'application/json; charset=utf-8';

const html = 'text/html; charset=utf-8';

const pageHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/**
 * An error in the format of its route. API: contract 7.2. OAuth endpoints: RFC 6749 section 5.2. Pages: HTML, when the
 * client accepts it.
 * @param docsUrl address of the page about errors
 */
export function renderError(error: GatewayError, kind: RouteKind, docsUrl: string, accept = ''): Rendered {
  const { code, text = '', headers } = error;
  if (kind === 'oauth') return renderOauthError(error, docsUrl);
  if (kind === 'page' && accept.includes('text/html')) {
    return { code, type: html, body: renderPage(code, text), headers: { ...headers, ...pageHeaders } };
  }
  return { code, headers, type: json, body: JSON.stringify(httpErrorBody(code, error.text)) };
}

/** OAuth: every server error is `server_error` with 503. */
function renderOauthError(
  { code, text, oauthText = text, section, headers }: GatewayError,
  docsUrl: string,
): Rendered {
  const isServerError = code >= 500;
  const error = isServerError ? 'server_error' : 'invalid_request';
  const error_uri = `${docsUrl}#${section ?? error}`;
  const body = JSON.stringify({ error, error_description: oauthText, error_uri });
  return { code: isServerError ? 503 : code, type: json, body, headers: { ...headers, Pragma: 'no-cache' } };
}

function renderPage(code: number, text: string): string {
  const title = code >= 500 ? 'Not available at the moment' : 'This did not work';
  const advice = code >= 500 ? 'Please try again in a moment.' : 'Please go back and try again.';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.5rem; }
</style>
<main>
  <h1>${title}</h1>
  <p>${advice}</p>
  <p><small>${code}: ${text}</small></p>
</main>
</html>
`;
}
