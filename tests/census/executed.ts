import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { TestService } from '../harness/service.ts';

const root = new URL('../../', import.meta.url).href;

/** Variables with which a service is measured: V8 counts calls of functions from its own compile cache less precisely. */
export const measured = { NODE_OPTIONS: '--inspect=127.0.0.1:0', NODE_DISABLE_COMPILE_CACHE: '1' };

/** A reply to a command; an event has no id. */
const reply = z.object({
  id: z.number().optional(),
  error: z.object({ message: z.string() }).optional(),
  result: z.unknown(),
});
const range = z.object({ startOffset: z.number(), count: z.number() });
const script = z.object({
  url: z.string(),
  functions: z.array(z.object({ functionName: z.string(), ranges: z.tuple([range]) })),
});
const coverage = z.object({ result: z.array(script) });

/** Our functions that ran, as `file:offset`. */
export type Executed = ReadonlySet<string>;

export const fileOf = (executed: string): string => executed.slice(0, executed.lastIndexOf(':'));

/** Counts calls in a service from now on; each call resolves to the functions that ran since the one before. */
export async function startCounting(service: TestService): Promise<() => Promise<Executed>> {
  const [, url] = /^Debugger listening on (ws:\S+)$/m.exec(readFileSync(service.logFile, 'utf8')) ?? [];
  if (url === undefined) throw new Error(`${service.logFile} names no inspector.`);
  const send = await connect(url);
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return async () => {
    const { result } = coverage.parse(await send('Profiler.takePreciseCoverage'));
    return new Set(result.filter((each) => isOurs(each.url)).flatMap(calledIn));
  };
}

const isOurs = (url: string) => url.startsWith(root) && !/\/(?:node_modules|generated)\//.test(url);

function calledIn({ url, functions }: z.infer<typeof script>): string[] {
  const file = fileURLToPath(url).slice(fileURLToPath(root).length);
  return functions.flatMap(({ functionName, ranges: [{ startOffset, count }] }) => {
    // The body of a module, which runs when it is imported.
    const isModule = functionName === '' && startOffset === 0;
    return count > 0 && !isModule ? [`${file}:${startOffset}`] : [];
  });
}

/** Opens a connection to an inspector, for one command after another. */
async function connect(url: string) {
  const socket = new WebSocket(url);
  let id = 0;
  let current = Promise.withResolvers<unknown>();
  socket.addEventListener('open', current.resolve);
  socket.addEventListener('close', () => current.reject(new Error(`${url} was closed.`)));
  socket.addEventListener('message', ({ data }) => {
    const { error, result, ...message } = reply.parse(JSON.parse(data));
    if (message.id !== id) return;
    if (error === undefined) current.resolve(result);
    else current.reject(new Error(error.message));
  });
  await current.promise;
  return (method: string, params: object = {}): Promise<unknown> => {
    current = Promise.withResolvers();
    socket.send(JSON.stringify({ id: ++id, method, params }));
    return current.promise;
  };
}
