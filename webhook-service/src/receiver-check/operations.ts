import { AppError } from '@platform/service-kit/values/app-error.ts';
import { eventBody } from '@platform/service-kit/values/event-body.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import type { AttemptResult } from '../attempts/result.ts';
import { exampleBusiness } from '../deliveries/operations.ts';
import type { Recipient } from '../deliveries/recipients.ts';
import { type Endpoint, endpointNotFound, type Owner } from '../endpoints/endpoint.ts';
import type { EndpointStore } from '../endpoints/store.ts';
import type { SignatureHeaders } from '../signing/secret.ts';
import type { Sign } from '../signing/signer.ts';
import { after, type Instant } from '../values.ts';
import { type Finding, gradeReceiver, type ProbeKind, type ProbeResult, probeKinds } from './grade.ts';
import type { CheckStore } from './store.ts';

/** A request of a check. */
interface CheckRequest {
  readonly url: string;
  readonly headers: SignatureHeaders;
  readonly body: string;
  /** Milliseconds over which the body is sent; 0 for at once. */
  readonly bodyMs: number;
  readonly signal: AbortSignal;
}

export interface CheckDeps {
  readonly endpoints: Pick<EndpointStore, 'find'>;
  readonly checks: CheckStore;
  /** Asks identity-service. @throws AppError unavailable */
  readonly checkRecipients: (recipients: readonly Recipient[]) => Promise<readonly boolean[]>;
  readonly sign: Sign;
  readonly send: (request: CheckRequest) => Promise<AttemptResult>;
  readonly now: () => Instant;
  /** Milliseconds within which a receiver responds that works afterwards. */
  readonly slowMs: number;
}

interface CheckInput {
  readonly owner: Owner;
  readonly endpointId: string;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
}

/** A request that was sent, with its `webhook-id`. */
interface SentProbe extends ProbeResult {
  readonly eventId: string;
}

/** Result of a check. */
export interface CheckReport {
  readonly probes: readonly SentProbe[];
  readonly findings: readonly Finding[];
}

/** Milliseconds of a whole check. */
const limitMs = 20_000;

/** Milliseconds for which no other check of the endpoint can start if this process dies during a check. */
const claimMs = limitMs + 10_000;

/** Sends the requests of a check to an endpoint, one after the other, and grades its responses. @throws AppError */
export async function checkReceiver(deps: CheckDeps, input: CheckInput): Promise<CheckReport> {
  const { owner, endpointId } = input;
  const endpoint = await deps.endpoints.find(owner, endpointId);
  if (endpoint === undefined) throw endpointNotFound();
  if (!endpoint.enabled) throw refused('endpoint_disabled', 'enable the endpoint first');
  const [isAllowed] = await deps.checkRecipients([{ ...owner, type: '', madeBy: '' }]);
  if (isAllowed !== true) throw refused('not_permitted', 'nothing may be sent to this endpoint now');
  if (!(await deps.checks.claim(endpointId, claimMs))) throw refused('check_running', 'a check is running');
  try {
    const probes = await sendProbes(deps, endpoint, input);
    return { probes, findings: gradeReceiver(probes, deps.slowMs) };
  } finally {
    await deps.checks.release(endpointId);
  }
}

function refused(reason: string, text: string): AppError {
  return new AppError('failed_precondition', reason, text);
}

/** Resolves to the requests that were sent. Stops after a correct request that failed, since others would say nothing. */
async function sendProbes(deps: CheckDeps, endpoint: Endpoint, input: CheckInput): Promise<SentProbe[]> {
  const signal = AbortSignal.timeout(limitMs);
  const messages = composeMessages(input, deps.now());
  const probes: SentProbe[] = [];
  for (const kind of probeKinds) {
    const { eventId, body } = messages[kind];
    const signedAt = kind === 'stale' ? after(deps.now(), -staleMs) : deps.now();
    const headers = deps.sign(endpoint, eventId, signedAt, body);
    const result = await deps.send({
      url: endpoint.url,
      headers,
      body: kind === 'tampered' ? tamper(body) : body,
      bodyMs: kind === 'slow_body' ? slowBodyMs : 0,
      signal,
    });
    // The time of the check has run out, so this request says nothing about the receiver.
    if (result.outcome === 'cancelled') break;
    const { outcome, status, durationMs } = result;
    probes.push({ kind, eventId, outcome, status, durationMs });
    if (kind === 'good' && outcome !== 'delivered') break;
  }
  return probes;
}

/** Age of a stale request in milliseconds: twice what Standard Webhooks tolerates. */
const staleMs = 600_000;

/** Milliseconds over which the slow body is sent. */
const slowBodyMs = 2_000;

interface Message {
  readonly eventId: string;
  readonly body: string;
}

/**
 * Events of an example business, so that they do not affect a receiver that keeps track of the order of real events. Their
 * sequences derive from the current second, so that later checks have higher ones.
 */
function composeMessages({ type, data }: CheckInput, now: Instant): Readonly<Record<ProbeKind, Message>> {
  const first = Math.floor(now.getTime() / 1_000);
  const compose = (sequence: number): Message => {
    const id = randomId('evt');
    const envelope = {
      id,
      type,
      createdAt: now,
      business: exampleBusiness,
      sequence,
      previous: sequence - 1,
    };
    return { eventId: id, body: eventBody({ ...envelope, data }) };
  };
  const good = compose(first);
  return {
    good,
    tampered: compose(first + 1),
    stale: compose(first + 1),
    duplicated: good,
    later: compose(first + 2),
    earlier: compose(first + 1),
    slow_body: compose(first + 3),
  };
}

/** The body with another sequence, and of the same length. */
function tamper(body: string): string {
  return body.replace(/"sequence":(\d+)(\d)/, (_, digits, last) => `"sequence":${digits}${9 - Number(last)}`);
}
