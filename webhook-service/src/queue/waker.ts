/** A wait that ends early when it is woken, or was since the last one. */
export interface Waker {
  wake(): void;
  wait(ms: number): Promise<void>;
}

export function createWaker(): Waker {
  let woken = false;
  let resolve = () => {};
  return {
    wake: () => {
      woken = true;
      resolve();
    },
    wait: async (ms) => {
      if (!woken) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, ms);
          resolve = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
      woken = false;
    },
  };
}
