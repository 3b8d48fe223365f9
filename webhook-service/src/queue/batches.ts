interface Waiting<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects single calls into batches. Calls that arrive while a batch runs go into the next one.
 * @param run resolves to one output for each input, in their order; when it rejects, every call of the batch does
 */
export function inBatches<Input, Output>(
  maxSize: number,
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
): (input: Input) => Promise<Output> {
  const waiting: Waiting<Input, Output>[] = [];
  let running = false;

  const runBatch = async (batch: readonly Waiting<Input, Output>[]) => {
    try {
      const outputs = await run(batch.map(({ input }) => input));
      if (outputs.length !== batch.length) throw new Error('a batch has no output for one of its inputs');
      for (const [index, output] of outputs.entries()) batch[index]?.resolve(output);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const runAll = async () => {
    running = true;
    // Calls of the same turn of the event loop go together.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await runBatch(waiting.splice(0, maxSize));
    running = false;
  };
  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (!running) void runAll();
    });
}
