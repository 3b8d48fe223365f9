let isLeaving = false;

/** The page is going away by itself: what ends meanwhile must not lead it elsewhere. */
export function beginLeaving(): void {
  isLeaving = true;
}

/** The session is over: on to the login, which leads back here. Never resolves, since the page is going away. */
export function leaveForLogin(): Promise<never> {
  const here = location.pathname + location.search;
  if (!isLeaving) location.assign(`/login?continue=${encodeURIComponent(here)}`);
  beginLeaving();
  return new Promise(() => undefined);
}
