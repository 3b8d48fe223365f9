import { HttpError } from '@platform/service-kit/http/errors.ts';

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Values of Sec-Fetch-Site for our own pages. `none` is an act of the person, such as a reload, not of another site. */
const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** Parts of a request by which browsers state its origin. Pages cannot set them. */
interface RequestOrigin {
  readonly method: string;
  readonly headers: {
    readonly 'sec-fetch-site'?: string | string[] | undefined;
    readonly origin?: string | undefined;
    /** Host and port that the browser asked for, as the gateway read them. */
    readonly 'x-forwarded-host'?: string | string[] | undefined;
  };
}

/**
 * Requires that a state-changing request of a browser comes from a page of the platform, besides its CSRF token.
 * Sec-Fetch-Site decides; browsers without it send Origin. A request with neither header does not come from a browser, so no
 * other site can have caused it.
 * @throws HttpError 403
 */
export function checkSameOrigin({ method, headers }: RequestOrigin, publicUrl: string): void {
  if (safeMethods.has(method)) return;
  const { 'sec-fetch-site': site, origin } = headers;
  const isOwn = site === undefined ? (origin ?? publicUrl) === publicUrl : ownSites.has(String(site));
  if (isOwn) return;
  throw new HttpError(403, refusal(originOf(origin), String(headers['x-forwarded-host']), publicUrl));
}

/** A valid Origin header; undefined for any other text. */
function originOf(text = ''): string | undefined {
  return URL.canParse(text) && new URL(text).origin === text ? text : undefined;
}

/**
 * Error text. Advises a new PUBLIC_URL only if the page is our own at another address, so that the page of an attacker can
 * never make the text recommend the attacker's origin.
 */
function refusal(origin: string | undefined, host: string, publicUrl: string): string {
  if (origin !== undefined && origin !== publicUrl && new URL(origin).host === host)
    return `This request came from another site: the page was opened at ${origin}, and this platform is ${publicUrl}. Open ${publicUrl} and do it there. If you run the platform and people reach it at ${origin}, start it with PUBLIC_URL=${origin}.`;
  const named = origin === undefined || origin === publicUrl ? '' : `, ${origin}`;
  return `This request came from another site${named}. Open ${publicUrl} and do it there.`;
}
