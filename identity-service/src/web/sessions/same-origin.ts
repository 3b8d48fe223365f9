import { HttpError } from '@platform/service-kit/http/errors.ts';

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** `none`: the person's own act, such as a reload. Pages of other origins cannot cause it. */
const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** Parts of a request in which browsers tell where it came from; pages cannot set them. */
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
 * Sec-Fetch-Site decides; browsers without it send Origin. With neither, the request comes from no browser that could be
 * used against its person.
 * @throws HttpError 403
 */
export function checkSameOrigin({ method, headers }: RequestOrigin, publicUrl: string): void {
  if (safeMethods.has(method)) return;
  const { 'sec-fetch-site': site, origin } = headers;
  const isOwn = site === undefined ? (origin ?? publicUrl) === publicUrl : ownSites.has(String(site));
  if (isOwn) return;
  throw new HttpError(403, refusal(originOf(origin), String(headers['x-forwarded-host']), publicUrl));
}

/** Undefined for what browsers do not send. */
function originOf(text = ''): string | undefined {
  return URL.canParse(text) && new URL(text).origin === text ? text : undefined;
}

/**
 * Names the setting only where the page is our own at another address: who follows what the page of a stranger caused must not be
 * advised to trust that stranger.
 */
function refusal(origin: string | undefined, host: string, publicUrl: string): string {
  if (origin !== undefined && origin !== publicUrl && new URL(origin).host === host)
    return `This request came from another site: the page was opened at ${origin}, and this platform is ${publicUrl}. Open ${publicUrl} and do it there. If you run the platform and people reach it at ${origin}, start it with PUBLIC_URL=${origin}.`;
  const named = origin === undefined || origin === publicUrl ? '' : `, ${origin}`;
  return `This request came from another site${named}. Open ${publicUrl} and do it there.`;
}
