import type { AuditEventMessage, MemberMessage } from '@platform/protos/identity';
import { Command } from 'commander';
import { parseCount, parseSince } from './arguments.ts';
import {
  addBusinessCommand,
  type CommandContext,
  callOptions,
  example,
  onRun,
  operatorActor,
} from './command.ts';
import { addVerify } from './operators.ts';
import { formatTable, formatTime, pendingNotice, propagationJson } from './output.ts';

interface OfBusiness {
  readonly business: number;
}

/** `business team`, `business freeze` and `business unfreeze`. */
export function addTeamAndFreeze(group: Command, context: CommandContext): void {
  const team = addBusinessCommand(group, 'team', 'show who is in the team of a business');
  onRun<OfBusiness>(
    team.addHelpText('after', example('business team --business 7')),
    context,
    async ({ business }, { accounts }) => {
      const response = await accounts.ListMembers({ businessId: business }, callOptions());
      const { members, secondFactorRequiredAtUnixMs } = response;
      const secondFactorRequiredAt = formatTime(secondFactorRequiredAtUnixMs);
      const rule =
        secondFactorRequiredAt === null ? 'not required' : `required since ${secondFactorRequiredAt}`;
      return {
        json: { members: members.map(memberJson), secondFactorRequiredAt },
        text: `${members.length === 0 ? 'No member.\n' : memberTable(members)}Second factor: ${rule}.\n`,
      };
    },
  );
  const freeze = addBusinessCommand(
    group,
    'freeze',
    'refuse every API request of a business until one of its owners or an operator lifts the freeze; a ban lasts until an operator lifts it',
  )
    .option('--reason <text>', 'shown to its team', '')
    .addHelpText('after', example('business freeze --business 7 --reason "Asked for by phone"'));
  onRun<OfBusiness & { readonly reason: string }>(
    freeze,
    context,
    async ({ business, reason }, { accounts }) => {
      const request = { actor: operatorActor(), businessId: business, reason };
      const { propagation } = await accounts.FreezeBusiness(request, callOptions());
      return {
        json: { id: business, frozen: true, ...propagationJson(propagation) },
        text: `Business ${business} is frozen.\n`,
        pending: pendingNotice('frozen', propagation),
      };
    },
  );
  const unfreeze = addBusinessCommand(
    group,
    'unfreeze',
    'lift the freeze of a business, of an owner or an operator',
  );
  onRun<OfBusiness>(
    unfreeze.addHelpText('after', example('business unfreeze --business 7')),
    context,
    async ({ business }, { accounts }) => {
      await accounts.LiftFreeze({ actor: operatorActor(), businessId: business }, callOptions());
      return { json: { id: business, frozen: false }, text: `Business ${business} is not frozen.\n` };
    },
  );
}

function memberJson({ joinedAtUnixMs, lastSeenAtUnixMs, ...member }: MemberMessage) {
  return { ...member, joinedAt: formatTime(joinedAtUnixMs), lastSeenAt: formatTime(lastSeenAtUnixMs) };
}

function memberTable(members: readonly MemberMessage[]): string {
  const headings = ['ID', 'NAME', 'EMAIL', 'ROLE', 'SECOND FACTOR', 'JOINED', 'LAST SEEN'];
  const rows = members.map((member) => [
    member.personId,
    member.name,
    member.email,
    member.role,
    member.hasSecondFactor ? 'on' : 'off',
    formatTime(member.joinedAtUnixMs) ?? '',
    formatTime(member.lastSeenAtUnixMs) ?? 'never',
  ]);
  return formatTable(headings, rows);
}

interface AuditOptions extends OfBusiness {
  readonly action?: string;
  readonly since?: string;
  readonly limit: number;
  readonly before?: string;
}

/** `audit list`: who changed what in a business; `audit verify`: the log of operators. */
export function auditCommands(context: CommandContext): Command {
  const group = new Command('audit').description('audit logs of businesses, and the log of operators');
  const list = addBusinessCommand(group, 'list', 'show what changed in a business, newest first')
    .option('--action <action>', 'one action, as api_key.created, or all of a kind, as api_key.*')
    .option('--since <time>', 'from then on: a duration, as 24h, or an RFC 3339 time')
    .option('--limit <count>', 'at most so many, up to 500', parseCount, 50)
    .option('--before <id>', 'older than this event')
    .addHelpText('after', example('audit list --business 7 --action "api_key.*" --since 7d'));
  onRun<AuditOptions>(list, context, async (options, { accounts }) => {
    const { business: businessId, action = '', since, limit, before = '' } = options;
    const fromUnixMs = since === undefined ? 0 : parseSince(since, context.terminal.now());
    const request = { actor: operatorActor(), businessId, action, fromUnixMs, limit, before };
    const { events, nextBefore } = await accounts.ListAuditEvents(request, callOptions());
    const more = nextBefore === '' ? '' : `Older ones: --before ${nextBefore}\n`;
    return {
      json: { events: events.map(eventJson), nextBefore: nextBefore || null },
      text: events.length === 0 ? 'No event.\n' : eventTable(events) + more,
    };
  });
  addVerify(group, context);
  return group;
}

function eventJson({ atUnixMs, details, clientIp, actorName, subjectName, ...event }: AuditEventMessage) {
  return {
    ...event,
    at: formatTime(atUnixMs),
    actorName: actorName || null,
    subjectName: subjectName || null,
    clientIp: clientIp || null,
    details: JSON.parse(details),
  };
}

function eventTable(events: readonly AuditEventMessage[]): string {
  const headings = ['ID', 'AT', 'ACTION', 'SUBJECT', 'BY', 'FROM', 'DETAILS'];
  const rows = events.map((event) => [
    event.id,
    formatTime(event.atUnixMs) ?? '',
    event.action,
    named(event.subjectName, event.subjectId),
    `${event.actorKind} ${named(event.actorName, event.actorId)}`,
    event.clientIp,
    event.details,
  ]);
  return formatTable(headings, rows);
}

const named = (name: string, id: string) => (name === '' ? id : `${name} (${id})`);
