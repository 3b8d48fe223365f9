// npm run listen -- --key sk_… --forward-to http://localhost:3000/hook
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ApiError, type BusinessEvent, Client, type EventType, Follower } from '@business-api/client';
import { createSecret, forward, isSecret } from './forward.ts';
import { NewEvents } from './new-events.ts';

const usage = `Sends new events of a business to a program on this machine, signed as webhooks are.

  npm run listen -- --key <API key> --forward-to <URL> [options]

  --key         API key with the scope events:read; or the variable API_KEY
  --forward-to  where your receiver listens, such as http://localhost:3000/hook
  --url         origin of the platform; http://127.0.0.1:8080, where npm start has it
  --types       only these types, such as order.created,order.paid
  --secret      signs with this secret instead of a new one; or the variable WEBHOOK_SECRET

Exit codes: 0 ended by Ctrl-C; 1 the platform refuses the key or the types; 2 invalid usage.
`;

class UsageError extends Error {}

const out = (line: string) => void process.stdout.write(`${line}\n`);

function readUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`--${name} must be a URL that begins with http:// or https://.`);
}

function readOptions() {
  const text = { type: 'string' } as const;
  const known = { key: text, 'forward-to': text, url: text, types: text, secret: text };
  const { values } = parseArgs({ options: { ...known, help: { type: 'boolean' } } });
  if (values.help) return undefined;
  const { API_KEY, WEBHOOK_SECRET } = process.env;
  const { key = API_KEY, secret = WEBHOOK_SECRET ?? createSecret() } = values;
  if (!key) throw new UsageError('--key is missing: an API key with the scope events:read.');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('--key is no API key.');
  if (!values['forward-to']) throw new UsageError('--forward-to is missing: the URL of your receiver.');
  if (!isSecret(secret)) throw new UsageError('--secret must be whsec_ and base64 of 24 to 64 bytes.');
  return {
    key,
    secret,
    url: readUrl('forward-to', values['forward-to']).href,
    origin: readUrl('url', values.url ?? 'http://127.0.0.1:8080').origin,
    // The platform refuses those that it does not know.
    types: (values.types || undefined)?.split(',') as EventType[] | undefined,
  };
}

async function listen(options: NonNullable<ReturnType<typeof readOptions>>): Promise<void> {
  const { secret, url, origin, key, types } = options;
  const end = new AbortController();
  const { signal } = end;
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => end.abort());
  const settings = { url, secret, tell: out, signal };
  let last: BusinessEvent | undefined;
  const input = createInterface({ input: process.stdin });
  input.on('line', (line) => {
    if (line.trim() !== 'r') return;
    if (last === undefined) return out('No event yet.');
    forward(last, settings).catch(() => undefined);
  });
  out(`Secret of your receiver: ${secret}`);
  out(`New events of ${origin} go to ${url}. r and Enter sends the last one again; Ctrl-C ends.`);
  const take = (event: BusinessEvent) => {
    last = event;
    return forward(event, settings);
  };
  const onTrouble = (error: Error, pauseMs: number) => {
    const why = error instanceof ApiError ? `responded with ${error.status}` : 'cannot be reached';
    out(`${origin} ${why}. Next try in ${Math.ceil(pauseMs / 1_000)} s.`);
  };
  // The follower tries again by itself, and says so.
  const client = new Client({ baseUrl: origin, credential: key, retries: 0 });
  const store = new NewEvents({ take, tell: out });
  const how = { isFromNow: true, onTrouble, signal, ...(types && { types }) };
  try {
    await new Follower(client, store, how).follow();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    input.close();
  }
}

try {
  const options = readOptions();
  if (options === undefined) process.stdout.write(usage);
  else await listen(options);
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  if (!isUsage && !(error instanceof ApiError)) throw error;
  process.stderr.write(`error: ${error.message}\n${isUsage ? '(see npm run listen -- --help)\n' : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
