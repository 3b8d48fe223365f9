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
  throw new HttpError(403, `This request came from another site. Open ${publicUrl} and do it there.`);
}
