import { Command } from 'commander';
import { checkRequestReason, type ReviewedRequest } from '../operators/limit-requests/limit-request.ts';
import { declineLimitRequest, grantLimitRequest } from '../operators/limit-requests/operations.ts';
import { parseCount } from './arguments.ts';
import { type CommandContext, type CommandResult, example, onRun, operatorActor } from './command.ts';
import { formatRecord, formatTable, formatTime } from './output.ts';

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
    async ({ all = false }, { limitRequests }) => {
      const found = await (all ? limitRequests.latest() : limitRequests.pending());
      return { json: found.map(requestJson), text: found.length === 0 ? 'No request.\n' : table(found) };
    },
  );
  const grant = addDecision(group, 'grant', 'set the limit, and notify the person who asked')
    .option('--limit <count>', 'another limit than the one that is asked for', parseCount)
    .option('--reason <text>', 'for the person who asked')
    .addHelpText('after', example(`request grant ${sample} --limit 200`));
  onRun<DecisionOptions & { limit?: number }>(
    grant,
    context,
    async ({ request, limit, reason = '' }, acts) => {
      const checked = reason.trim() === '' ? '' : checkRequestReason(reason);
      const decision = { actor: operatorActor(), id: request, limit, reason: checked };
      return decided(await grantLimitRequest(acts, decision));
    },
  );
  const decline = addDecision(group, 'decline', 'leave the limit as it is, and notify the person who asked')
    .requiredOption('--reason <text>', 'for the person who asked')
    .addHelpText('after', example(`request decline ${sample} --reason "most requests are repeated reads"`));
  onRun<DecisionOptions>(decline, context, async ({ request, reason = '' }, acts) => {
    const decision = { actor: operatorActor(), id: request, reason };
    return decided(await declineLimitRequest(acts, decision));
  });
  return group;
}

function addDecision(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .requiredOption('--request <id>', 'identifier of the request');
}

function requestJson(request: ReviewedRequest) {
  const { connectedUsers, requests, refused, busiestHour } = request;
  return {
    id: request.id,
    businessId: request.businessId,
    kind: request.kind,
    subjectId: request.subjectId,
    subjectName: request.subjectName ?? '',
    currentLimit: request.currentLimit ?? 0,
    requestedLimit: request.requestedLimit,
    reason: request.reason,
    requestedBy: request.email ?? '',
    createdAt: formatTime(request.createdAt),
    status: request.status,
    decidedAt: formatTime(request.decidedAt),
    grantedLimit: request.grantedLimit ?? null,
    decisionReason: request.decisionReason || null,
    use: { connectedUsers, requests, refused, busiestHour },
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

function table(requests: readonly ReviewedRequest[]): string {
  const rows = requests
    .map(requestJson)
    .map(({ use, ...request }) => [
      request.id,
      String(request.businessId),
      request.createdAt,
      `${request.kind} ${request.subjectName || 'deleted'} (${request.subjectId})`,
      String(request.currentLimit),
      String(request.requestedLimit),
      request.kind === 'connected_users' ? String(use.connectedUsers) : '',
      String(use.requests),
      String(use.busiestHour),
      String(use.refused),
      request.status,
      request.reason,
    ]);
  return formatTable(headings, rows);
}

function decided({
  request,
  notified,
}: {
  readonly request: ReviewedRequest;
  readonly notified: boolean;
}): CommandResult {
  const json = { ...requestJson(request), notified };
  const text = formatRecord({
    id: json.id,
    status: json.status,
    limit: String(json.currentLimit),
    email: notified ? `sent to ${json.requestedBy}` : 'NOT SENT: write to the owners',
  });
  return { json, text };
}
