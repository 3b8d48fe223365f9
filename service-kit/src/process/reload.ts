/** Milliseconds between reloads. */
const everyMs = 60_000;

/** Milliseconds until files are read again that could not be used: a renewal writes them one after the other. */
const againMs = 1_000;

/**
 * Calls `load` every minute and on SIGHUP, and when it throws once more a second later. What it throws then goes to `onUnusable`,
 * each message once until `load` returns.
 */
export function reloadFiles(load: () => void, onUnusable: (error: unknown) => void): void {
  let reported = '';
  let second: NodeJS.Timeout | undefined;
  const attempt = (onError: (error: unknown) => void) => {
    try {
      load();
      reported = '';
    } catch (error) {
      onError(error);
    }
  };
  const report = (error: unknown) => {
    if (String(error) === reported) return;
    reported = String(error);
    onUnusable(error);
  };
  const reload = () => {
    clearTimeout(second);
    attempt(() => {
      second = setTimeout(attempt, againMs, report).unref();
    });
  };
  setInterval(reload, everyMs).unref();
  process.on('SIGHUP', reload);
}
