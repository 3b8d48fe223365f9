import { createInterface } from 'node:readline';
import { type BusinessEvent, type EventType, Follower } from '@business-api/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { UsageError } from '../errors.ts';
import {
  type Attempt,
  createSecret,
  type ForwardOptions,
  forward,
  isAccepted,
  isSecret,
} from '../feed/forward.ts';
import { NewEvents } from '../feed/new-events.ts';
import { troubleLine } from '../feed/trouble.ts';
import { toJson } from '../output.ts';
import { credentialsOf, openClient, readHttpUrl } from '../session.ts';
import { typesOption } from './events.ts';

interface ListenOptions extends GlobalOptions {
  readonly forwardTo: string;
  readonly secret?: string;
  readonly types?: EventType[];
}

/** Adds `listen`. */
export function addListen(program: Command, context: Context): void {
  program
    .command('listen')
    .description('send new events to a program on this machine, signed as webhooks are, until Ctrl-C')
    .requiredOption('--forward-to <url>', 'where your receiver listens, as http://localhost:3000/hook')
    .addOption(typesOption())
    .option('--secret <secret>', 'sign with this one instead of a new one; or the variable WEBHOOK_SECRET')
    .action((_: object, command: Command) => listen(context, command.optsWithGlobals<ListenOptions>()));
}

async function listen(context: Context, options: ListenOptions): Promise<void> {
  const { terminal, signal, env } = context;
  const { forwardTo, types, json, secret: given = env.WEBHOOK_SECRET || undefined } = options;
  const secret = given ?? createSecret();
  if (!isSecret(secret)) throw new UsageError('--secret must be whsec_ and base64 of 24 to 64 bytes.');
  const { href: url } = readHttpUrl(forwardTo, '--forward-to');
  const { url: origin } = credentialsOf(context, options);
  const report = (attempt: Attempt) =>
    terminal.out(json ? toJson(attemptObject(attempt)) : attemptLine(attempt));
  const receiver = new Receiver({ url, secret, signal, report });
  const input = createInterface({ input: terminal.stdin });
  input.on('line', (line) => {
    if (line.trim() === 'r' && !receiver.repeat()) terminal.note('No event yet.');
  });
  // One that was given may be that of a real endpoint.
  const shown = given === undefined ? secret : undefined;
  if (json) terminal.out(toJson({ secret: shown, from: origin, to: url }));
  else {
    if (shown !== undefined) terminal.out(`Secret of your receiver: ${shown}`);
    terminal.out(`New events of ${origin} go to ${url}. r and Enter sends the last one again; Ctrl-C ends.`);
  }
  // The follower tries again by itself, and says so.
  const client = openClient(context, options, { retries: 0 });
  const store = new NewEvents({ take: (event) => receiver.take(event), note: terminal.note });
  const follower = new Follower(client, store, {
    isFromNow: true,
    onTrouble: (error, pauseMs) => terminal.note(troubleLine(origin, error, pauseMs)),
    signal,
    ...(types && { types }),
  });
  try {
    await follower.follow();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    input.close();
  }
}

/** The program of the developer, and what it got last. */
class Receiver {
  readonly #options: ForwardOptions;
  #last: BusinessEvent | undefined;

  constructor(options: ForwardOptions) {
    this.#options = options;
  }

  /** Sends it, again while it fails. @throws when the signal aborts */
  take(event: BusinessEvent): Promise<void> {
    this.#last = event;
    return forward(event, this.#options);
  }

  /** Sends the last event once more, beside what goes on; false where there is none. */
  repeat(): boolean {
    if (this.#last === undefined) return false;
    forward(this.#last, this.#options).catch(() => undefined);
    return true;
  }
}

function attemptLine(attempt: Attempt): string {
  const { event, outcome, tookMs, againInMs } = attempt;
  const next = againInMs === undefined ? '; given up' : `; again in ${againInMs / 1_000} s`;
  const then = isAccepted(attempt) ? '' : next;
  return `${event.type}  ${event.id}  #${event.sequence}  ${outcome}  ${tookMs} ms${then}`;
}

function attemptObject(attempt: Attempt): object {
  const { event, outcome, tookMs, againInMs = null } = attempt;
  const { id, type, sequence } = event;
  return {
    id,
    type,
    sequence,
    outcome,
    accepted: isAccepted(attempt),
    took_ms: tookMs,
    again_in_ms: againInMs,
  };
}
