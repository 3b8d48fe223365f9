/** Where a login leads without a wish. */
export const defaultPath = '/dashboard';

const maxLength = 4_096;
/** Browsers drop tabs and line ends inside addresses and read `\` as `/`; other controls and blanks have no place there. */
const treacherous = /[\\\s\p{Cc}]/u;
const base = 'http://origin.invalid';

/**
 * Where to go after login: a path of this origin with its query, else the dashboard. Nothing that a browser could read as
 * another origin: no scheme, no `//`, no backslash, also not after dot segments are resolved.
 */
export function continuePath(wish: string | undefined): string {
  if (wish === undefined || wish.length > maxLength) return defaultPath;
  if (!wish.startsWith('/') || treacherous.test(wish) || !URL.canParse(wish, base)) return defaultPath;
  const { origin, pathname, search } = new URL(wish, base);
  if (origin !== base || pathname.startsWith('//')) return defaultPath;
  return pathname + search;
}

/** An address of ours that leads on to `continueTo`. @param path may have a query */
export function withContinue(path: string, continueTo: string): string {
  if (continueTo === defaultPath) return path;
  return `${path}${path.includes('?') ? '&' : '?'}continue=${encodeURIComponent(continueTo)}`;
}
