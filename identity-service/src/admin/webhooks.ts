import { Command } from 'commander';
import type { Acts } from '../acts.ts';
import type { DeliveryRecord, EndpointRecord } from '../clients/webhook-records.ts';
import { drainEndpoint, recoverEndpoint, switchEndpoint } from '../webhooks/audited.ts';
import { parseSince } from './arguments.ts';
import { addBusinessCommand, type CommandContext, example, onRun, operatorActor } from './command.ts';
import { formatRecord, formatTable, formatTime } from './output.ts';

interface OwnerOptions {
  readonly business: number;
  readonly application: string;
}

interface EndpointOptions extends OwnerOptions {
  readonly endpoint: string;
}

/** Deliveries that `show` prints. */
const shownDeliveries = 20;

/** `webhooks …`: endpoints of applications and businesses, and their deliveries. */
export function webhookCommands(context: CommandContext): Command {
  const group = new Command('webhooks').description('endpoints of webhooks and their deliveries');
  addList(group, context);
  addShow(group, context);
  const pause = addEndpointCommand(group, 'pause', 'disable an endpoint; its deliveries become skipped');
  onRun<EndpointOptions>(pause, context, async (options, acts) => {
    const { endpoint } = await switchEndpoint(auditedDeps(acts), { ...changeOf(options), enabled: false });
    return { json: endpointJson(endpoint), text: `${options.endpoint} is disabled: no attempt starts.\n` };
  });
  const resume = addEndpointCommand(group, 'resume', 'enable an endpoint, and close its circuit breaker');
  onRun<EndpointOptions>(resume, context, async (options, acts) => {
    const change = { ...changeOf(options), enabled: true };
    const { endpoint, recoverable } = await switchEndpoint(auditedDeps(acts), change);
    return {
      json: { ...endpointJson(endpoint), recoverable },
      text: `${options.endpoint} is enabled. ${recoverable} deliveries failed or were skipped: see webhooks replay.\n`,
    };
  });
  addReplay(group, context);
  addDrain(group, context);
  return group;
}

/** @throws Error when the address of webhook-service is not known */
function clientOf({ webhooks }: Acts) {
  if (webhooks !== undefined) return webhooks;
  throw new Error('WEBHOOK_GRPC_TARGET is not set: the address of webhook-service.');
}

const auditedDeps = (acts: Acts) => ({ client: clientOf(acts), audit: acts.audit });

function addList(group: Command, context: CommandContext): void {
  const list = addOwnerCommand(
    group,
    'list',
    'show the endpoints of a business or application, newest first',
  );
  onRun<OwnerOptions>(
    list.addHelpText('after', example('webhooks list --business 7')),
    context,
    async (options, acts) => {
      const endpoints = await clientOf(acts).listEndpoints(ownerOf(options));
      return { json: endpoints.map(endpointJson), text: endpointTable(endpoints) };
    },
  );
}

function addShow(group: Command, context: CommandContext): void {
  const show = addEndpointCommand(
    group,
    'show',
    `show an endpoint and its latest ${shownDeliveries} deliveries`,
  );
  onRun<EndpointOptions>(show, context, async (options, acts) => {
    const client = clientOf(acts);
    const reference = referenceOf(options);
    const found = await client.getEndpoint(reference);
    const page = await client.listDeliveries(reference);
    const deliveries = page.deliveries.slice(0, shownDeliveries);
    const json = endpointJson(found);
    const record = Object.entries(json).map(([name, value]) => [name, String(value ?? '')] as const);
    return {
      json: { ...json, deliveries: deliveries.map(deliveryJson) },
      text: `${formatRecord(Object.fromEntries(record))}\n${deliveryTable(deliveries)}`,
    };
  });
}

function addReplay(group: Command, context: CommandContext): void {
  const replay = addEndpointCommand(group, 'replay', 'send again what failed, was skipped or withdrawn')
    .requiredOption('--since <when>', 'created since: a duration back (30m, 12h, 7d) or an RFC 3339 time')
    .addHelpText('after', example('webhooks replay --business 7 --endpoint whe_… --since 24h'));
  onRun<EndpointOptions & { since: string }>(replay, context, async (options, acts) => {
    const since = parseSince(options.since, context.terminal.now());
    const deliveries = await recoverEndpoint(auditedDeps(acts), { ...changeOf(options), since });
    return {
      json: { endpoint: options.endpoint, since: formatTime(since), deliveries },
      text: `${deliveries} deliveries will be sent again; webhooks show has their states.\n`,
    };
  });
}

function addDrain(group: Command, context: CommandContext): void {
  const drain = addEndpointCommand(group, 'drain', 'skip what is pending; later events are sent').addHelpText(
    'after',
    example('webhooks drain --business 7 --endpoint whe_…'),
  );
  onRun<EndpointOptions>(drain, context, async (options, acts) => {
    const deliveries = await drainEndpoint(auditedDeps(acts), changeOf(options));
    return {
      json: { endpoint: options.endpoint, deliveries },
      text: `${deliveries} deliveries are skipped; webhooks replay sends them after all.\n`,
    };
  });
}

function addOwnerCommand(group: Command, name: string, description: string): Command {
  return addBusinessCommand(group, name, description).option(
    '--application <id>',
    'identifier of its application; without it, the endpoints of the business itself',
    '',
  );
}

function addEndpointCommand(group: Command, name: string, description: string): Command {
  return addOwnerCommand(group, name, description).requiredOption(
    '--endpoint <id>',
    'identifier of the endpoint, whe_…',
  );
}

const ownerOf = ({ business, application }: OwnerOptions) => ({
  businessId: business,
  applicationId: application,
});

const referenceOf = (options: EndpointOptions) => ({ owner: ownerOf(options), endpointId: options.endpoint });

const changeOf = (options: EndpointOptions) => ({
  actor: operatorActor(),
  reference: referenceOf(options),
});

function endpointJson(endpoint: EndpointRecord) {
  const { id, url, description, events, enabled, pending, recent } = endpoint;
  return {
    ...{ id, url, description, events, enabled },
    disabledReason: enabled ? null : endpoint.disabledReason,
    disabledAt: formatTime(endpoint.disabledAt),
    createdAt: formatTime(endpoint.createdAt),
    failingSince: formatTime(endpoint.failingSince),
    lastSuccessAt: formatTime(endpoint.lastSuccessAt),
    pausedUntil: formatTime(endpoint.pausedUntil),
    nextAttemptAt: formatTime(endpoint.nextAttemptAt),
    recentAttempts: recent.attempts,
    recentSuccesses: recent.successes,
    recentP95Ms: recent.p95Ms,
    pending,
  };
}

function endpointTable(endpoints: readonly EndpointRecord[]): string {
  const rows = endpoints
    .map(endpointJson)
    .map((endpoint) => [
      endpoint.id,
      endpoint.enabled ? 'enabled' : `disabled (${endpoint.disabledReason})`,
      String(endpoint.pending),
      endpoint.failingSince ?? '',
      endpoint.lastSuccessAt ?? 'never',
      endpoint.url,
    ]);
  return formatTable(['ID', 'STATE', 'PENDING', 'FAILING SINCE', 'LAST SUCCESS', 'URL'], rows);
}

function deliveryJson(delivery: DeliveryRecord) {
  const { id, eventId, type, businessId, sequence, attempts, status } = delivery;
  return {
    ...{ id, eventId, type, businessId, sequence, attempts, status },
    createdAt: formatTime(delivery.createdAt),
    nextAttemptAt: formatTime(delivery.nextAttemptAt),
    finishedAt: formatTime(delivery.finishedAt),
  };
}

function deliveryTable(deliveries: readonly DeliveryRecord[]): string {
  const rows = deliveries
    .map(deliveryJson)
    .map(({ id, eventId, type, status, attempts, createdAt, nextAttemptAt }) => [
      ...[id, eventId, type, status, String(attempts), createdAt, nextAttemptAt ?? ''],
    ]);
  return formatTable(['ID', 'EVENT', 'TYPE', 'STATUS', 'ATTEMPTS', 'CREATED', 'NEXT ATTEMPT'], rows);
}
