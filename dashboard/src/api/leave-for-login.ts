/** The session is over: on to the login, which leads back here. Never resolves, since the page is going away. */
export function leaveForLogin(): Promise<never> {
  const here = location.pathname + location.search;
  location.assign(`/login?continue=${encodeURIComponent(here)}`);
  return new Promise(() => undefined);
}
