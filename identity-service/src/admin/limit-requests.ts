import type { LimitRequestMessage } from '@platform/protos/identity';
import { Command } from 'commander';
import { parseCount } from './arguments.ts';
import {
  type CommandContext,
  type CommandResult,
  callOptions,
  example,
  onRun,
  operatorActor,
} from './command.ts';
import { formatRecord, formatTable, formatTime, requireMessage } from './output.ts';

interface DecisionOptions {
  readonly request: string;
  readonly reason?: string;
}

const sample = '--request lrq_5f2b8c19ad03e47766b1c0de';

/** `request …`: requests of owners for higher limits. */
export function limitRequestCommands(context: CommandContext): Command {
  const group = new Command('request').description('requests of owners for higher limits');
  const list = group
    .command('list')
    .description('list pending requests, oldest first, with the use of the last 30 days')
    .option('--all', 'the newest 100 of all, also those that are decided');
  onRun<{ all?: boolean }>(
    list.addHelpText('after', example('request list')),
    context,
    async ({ all = false }, clients) => {
      const { limitRequests } = await clients.limitRequests.ListLimitRequests({ all }, callOptions());
      const text = limitRequests.length === 0 ? 'No request.\n' : table(limitRequests);
      return { json: limitRequests.map(requestJson), text };
    },
  );
  const grant = addDecision(group, 'grant', 'set the limit, and notify the person who asked')
    .option('--limit <count>', 'another limit than the one that is asked for', parseCount)
    .option('--reason <text>', 'for the person who asked')
    .addHelpText('after', example(`request grant ${sample} --limit 200`));
  onRun<DecisionOptions & { limit?: number }>(
    grant,
    context,
    async ({ request, limit = 0, reason = '' }, { limitRequests }) => {
      const decision = { actor: operatorActor(), limitRequestId: request, limit, reason };
      return decided(await limitRequests.GrantLimitRequest(decision, callOptions()));
    },
  );
  const decline = addDecision(group, 'decline', 'leave the limit as it is, and notify the person who asked')
    .requiredOption('--reason <text>', 'for the person who asked')
    .addHelpText('after', example(`request decline ${sample} --reason "most requests are repeated reads"`));
  onRun<DecisionOptions>(decline, context, async ({ request, reason = '' }, { limitRequests }) => {
    const decision = { actor: operatorActor(), limitRequestId: request, reason };
    return decided(await limitRequests.DeclineLimitRequest(decision, callOptions()));
  });
  return group;
}

function addDecision(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .requiredOption('--request <id>', 'identifier of the request');
}

function requestJson(request: LimitRequestMessage) {
  const { createdAtUnixMs, decidedAtUnixMs, grantedLimit, decisionReason, kind, status, ...fields } = request;
  return {
    ...fields,
    kind: kind.replace('LIMIT_KIND_', '').toLowerCase(),
    status: status.replace('LIMIT_REQUEST_STATUS_', '').toLowerCase(),
    createdAt: formatTime(createdAtUnixMs),
    decidedAt: formatTime(decidedAtUnixMs),
    grantedLimit: grantedLimit || null,
    decisionReason: decisionReason || null,
  };
}

const headings = [
  'ID',
  'BUSINESS',
  'ASKED',
  'LIMIT OF',
  'NOW',
  'WANTED',
  'CONNECTED',
  'REQUESTS 30 D',
  'BUSIEST HOUR',
  '429',
  'STATUS',
  'REASON',
];

function table(requests: readonly LimitRequestMessage[]): string {
  const rows = requests
    .map(requestJson)
    .map(({ use, ...request }) => [
      request.id,
      String(request.businessId),
      request.createdAt ?? '',
      `${request.kind} ${request.subjectName || 'deleted'} (${request.subjectId})`,
      String(request.currentLimit),
      String(request.requestedLimit),
      request.kind === 'connected_users' ? String(use?.connectedUsers ?? 0) : '',
      String(use?.requests ?? 0),
      String(use?.busiestHour ?? 0),
      String(use?.refused ?? 0),
      request.status,
      request.reason,
    ]);
  return formatTable(headings, rows);
}

function decided({
  limitRequest,
  notified,
}: {
  readonly limitRequest: LimitRequestMessage | null;
  readonly notified: boolean;
}): CommandResult {
  const json = { ...requestJson(requireMessage(limitRequest)), notified };
  const text = formatRecord({
    id: json.id,
    status: json.status,
    limit: String(json.currentLimit),
    email: notified ? `sent to ${json.requestedBy}` : 'NOT SENT: write to the owners',
  });
  return { json, text };
}
