import type { DeliveryMessage, EndpointMessage } from '@platform/protos/webhook';
import { Command } from 'commander';
import { parseSince } from './arguments.ts';
import type { Clients } from './clients.ts';
import {
  addBusinessCommand,
  type CommandContext,
  callOptions,
  example,
  onRun,
  operatorActor,
} from './command.ts';
import { formatRecord, formatTable, formatTime, requireMessage } from './output.ts';

interface OwnerOptions {
  readonly business: number;
  readonly application: string;
}

interface EndpointOptions extends OwnerOptions {
  readonly endpoint: string;
}

/** Milliseconds to end a backlog of a million deliveries. */
const drainLimitMs = 60_000;

/** Deliveries that `show` prints. */
const shownDeliveries = 20;

/** `webhooks …`: endpoints of applications and businesses, and their deliveries. */
export function webhookCommands(context: CommandContext): Command {
  const group = new Command('webhooks').description('endpoints of webhooks and their deliveries');
  addList(group, context);
  addShow(group, context);
  const pause = addEndpointCommand(group, 'pause', 'disable an endpoint; its deliveries become skipped');
  onRun<EndpointOptions>(pause, context, async (options, clients) => {
    const { endpoint } = await switchEndpoint(clients, options, false);
    return { json: endpointJson(endpoint), text: `${options.endpoint} is disabled: no attempt starts.\n` };
  });
  const resume = addEndpointCommand(group, 'resume', 'enable an endpoint, and close its circuit breaker');
  onRun<EndpointOptions>(resume, context, async (options, clients) => {
    const { endpoint, recoverable } = await switchEndpoint(clients, options, true);
    return {
      json: { ...endpointJson(endpoint), recoverable },
      text: `${options.endpoint} is enabled. ${recoverable} deliveries failed or were skipped: see webhooks replay.\n`,
    };
  });
  addReplay(group, context);
  addDrain(group, context);
  return group;
}

/** Enables or disables an endpoint, with an audit event. */
async function switchEndpoint(clients: Clients, options: EndpointOptions, enabled: boolean) {
  const { endpoints, audited } = clients.webhooks();
  const request = { ...changeOf(options), enabled };
  const { recoverable } = await audited.SetEndpointEnabled(request, callOptions());
  const { endpoint } = await endpoints.GetEndpoint(referenceOf(options), callOptions());
  return { endpoint: requireMessage(endpoint), recoverable };
}

function addList(group: Command, context: CommandContext): void {
  const list = addOwnerCommand(
    group,
    'list',
    'show the endpoints of a business or application, newest first',
  );
  onRun<OwnerOptions>(
    list.addHelpText('after', example('webhooks list --business 7')),
    context,
    async (options, clients) => {
      const request = { owner: ownerOf(options) };
      const { endpoints } = await clients.webhooks().endpoints.ListEndpoints(request, callOptions());
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
  onRun<EndpointOptions>(show, context, async (options, clients) => {
    const { endpoints, deliveries: calls } = clients.webhooks();
    const reference = referenceOf(options);
    const found = requireMessage((await endpoints.GetEndpoint(reference, callOptions())).endpoint);
    const { deliveries } = await calls.ListDeliveries(
      {
        ...reference,
        types: [],
        statuses: [],
        sinceUnixMs: 0,
        untilUnixMs: 0,
        limit: shownDeliveries,
        cursor: '',
      },
      callOptions(),
    );
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
  onRun<EndpointOptions & { since: string }>(replay, context, async (options, clients) => {
    const sinceUnixMs = parseSince(options.since, context.terminal.now());
    const request = { ...changeOf(options), sinceUnixMs };
    const { deliveries } = await clients.webhooks().audited.RecoverEndpoint(request, callOptions());
    return {
      json: { endpoint: options.endpoint, since: formatTime(sinceUnixMs), deliveries },
      text: `${deliveries} deliveries will be sent again; webhooks show has their states.\n`,
    };
  });
}

function addDrain(group: Command, context: CommandContext): void {
  const drain = addEndpointCommand(group, 'drain', 'skip what is pending; later events are sent').addHelpText(
    'after',
    example('webhooks drain --business 7 --endpoint whe_…'),
  );
  onRun<EndpointOptions>(drain, context, async (options, clients) => {
    const { deliveries } = await clients.webhooks().audited.DrainEndpoint(changeOf(options), {
      ...callOptions(),
      deadlineMs: drainLimitMs,
    });
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

/** Names of the request of an audited change. */
const changeOf = (options: EndpointOptions) => {
  const { owner, endpointId } = referenceOf(options);
  return { actor: operatorActor(), ...owner, endpointId };
};

/** Word of an enum's value, such as `pending`. */
const wordOf = (value: string, prefix: string) => value.slice(prefix.length).toLowerCase();

function endpointJson(endpoint: EndpointMessage) {
  const { id, url, description, events, enabled, pending } = endpoint;
  return {
    ...{ id, url, description, events, enabled },
    disabledReason: enabled ? null : wordOf(endpoint.disabledReason, 'DISABLED_REASON_'),
    disabledAt: formatTime(endpoint.disabledAtUnixMs),
    createdAt: formatTime(endpoint.createdAtUnixMs),
    failingSince: formatTime(endpoint.failingSinceUnixMs),
    lastSuccessAt: formatTime(endpoint.lastSuccessAtUnixMs),
    pausedUntil: formatTime(endpoint.pausedUntilUnixMs),
    nextAttemptAt: formatTime(endpoint.nextAttemptAtUnixMs),
    recentAttempts: endpoint.recentAttempts,
    recentSuccesses: endpoint.recentSuccesses,
    recentP95Ms: endpoint.recentP95Ms,
    pending,
  };
}

function endpointTable(endpoints: readonly EndpointMessage[]): string {
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

function deliveryJson(delivery: DeliveryMessage) {
  const { id, eventId, type, businessId, sequence, attempts } = delivery;
  return {
    ...{ id, eventId, type, businessId, sequence, attempts },
    status: wordOf(delivery.status, 'DELIVERY_STATUS_'),
    createdAt: formatTime(delivery.createdAtUnixMs),
    nextAttemptAt: formatTime(delivery.nextAttemptAtUnixMs),
    finishedAt: formatTime(delivery.finishedAtUnixMs),
  };
}

function deliveryTable(deliveries: readonly DeliveryMessage[]): string {
  const rows = deliveries
    .map(deliveryJson)
    .map(({ id, eventId, type, status, attempts, createdAt, nextAttemptAt }) => [
      ...[id, eventId, type, status, String(attempts), createdAt ?? '', nextAttemptAt ?? ''],
    ]);
  return formatTable(['ID', 'EVENT', 'TYPE', 'STATUS', 'ATTEMPTS', 'CREATED', 'NEXT ATTEMPT'], rows);
}
