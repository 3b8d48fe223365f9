/** Milliseconds between reloads. */
const everyMs = 60_000;

/** Milliseconds until unusable files are read again, because a renewal writes them one after the other. */
const againMs = 1_000;

/**
 * Calls `load` every minute and on SIGHUP. If it throws, retries once a second later. A second error is passed to
 * `onUnusable`, but each message only once until `load` succeeds.
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
