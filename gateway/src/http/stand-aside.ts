/** Of those that stand aside, so many go on in one turn of the event loop. */
const perTurn = 2;

/**
 * Lets everybody else go first: resolves in a later turn of the event loop, after those that have waited longer, and few
 * at a time. A burst of requests that will be refused is then spread over many turns, and one that was let in, whose
 * answers from Redis and the upstream are each read in a turn of their own, does not wait for all of it each time.
 */
export function createStandAside(): () => Promise<void> {
  const waiting: (() => void)[] = [];

  function letSomeGoOn(): void {
    for (const goOn of waiting.splice(0, perTurn)) goOn();
    if (waiting.length > 0) setImmediate(letSomeGoOn);
  }

  return () =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(letSomeGoOn);
      waiting.push(resolve);
    });
}
