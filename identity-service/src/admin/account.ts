import { parseInput } from '@platform/service-kit/input/validation.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { Command } from 'commander';
import { z } from 'zod';
import type { Acts } from '../acts.ts';
import type { RecordedEvent } from '../audit/event.ts';
import { auditLogRead } from '../audit/operator-log/log.ts';
import { freezeBusiness, liftFreeze } from '../businesses/freeze.ts';
import type { TeamMember } from '../people/team/team.ts';
import { parseCount, parseSince } from './arguments.ts';
import {
  addBusinessCommand,
  type CommandContext,
  example,
  newRequestId,
  onRun,
  operatorActor,
} from './command.ts';
import { addVerify } from './operator-log.ts';
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
    async ({ business }, acts) => {
      await checkExists(acts, business);
      const [members, requiredAt] = await Promise.all([
        acts.team.members(business),
        acts.requirements.requiredAt(business),
      ]);
      const secondFactorRequiredAt = formatTime(requiredAt);
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
  onRun<OfBusiness & { readonly reason: string }>(freeze, context, async ({ business, reason }, acts) => {
    await checkExists(acts, business);
    const freeze = { actor: operatorActor(), businessId: business, reason, mustChange: true };
    const propagation = await freezeBusiness(acts, freeze);
    return {
      json: { id: business, frozen: true, ...propagationJson(propagation) },
      text: `Business ${business} is frozen.\n`,
      pending: pendingNotice('frozen', propagation),
    };
  });
  const unfreeze = addBusinessCommand(
    group,
    'unfreeze',
    'lift the freeze of a business, of an owner or an operator',
  );
  onRun<OfBusiness>(
    unfreeze.addHelpText('after', example('business unfreeze --business 7')),
    context,
    async ({ business }, acts) => {
      await checkExists(acts, business);
      await liftFreeze(acts, { actor: operatorActor(), businessId: business, mustChange: true });
      return { json: { id: business, frozen: false }, text: `Business ${business} is not frozen.\n` };
    },
  );
}

/** @throws AppError not_found */
async function checkExists({ businesses }: Acts, business: number): Promise<void> {
  if (await businesses.exists(business, newRequestId())) return;
  throw new AppError('not_found', 'business_not_found', `there is no business ${business}`);
}

function memberJson({ personId, name, email, role, hasSecondFactor, joinedAt, lastSeenAt }: TeamMember) {
  const person = { personId, name, email, role, hasSecondFactor };
  return { ...person, joinedAt: formatTime(joinedAt), lastSeenAt: formatTime(lastSeenAt) };
}

function memberTable(members: readonly TeamMember[]): string {
  const headings = ['ID', 'NAME', 'EMAIL', 'ROLE', 'SECOND FACTOR', 'JOINED', 'LAST SEEN'];
  const rows = members.map((member) => [
    member.personId,
    member.name,
    member.email,
    member.role,
    member.hasSecondFactor ? 'on' : 'off',
    formatTime(member.joinedAt),
    formatTime(member.lastSeenAt) ?? 'never',
  ]);
  return formatTable(headings, rows);
}

interface AuditOptions extends OfBusiness {
  readonly action?: string;
  readonly since?: string;
  readonly limit: number;
  readonly before?: string;
}

const pageSchema = z.object({
  action: z
    .string()
    .regex(/^[a-z_]+\.([a-z_]+|\*)$/, 'must be an action, as api_key.created, or of a kind, as api_key.*')
    .optional(),
  limit: z.int().max(500),
  before: z
    .string()
    .regex(/^\d{1,18}$/, 'must be next_before of an earlier response')
    .optional(),
});

/** `audit list`: who changed what in a business; `audit verify`: the log of operators. */
export function auditCommands(context: CommandContext): Command {
  const group = new Command('audit').description('audit logs of businesses, and the log of operators');
  const list = addBusinessCommand(group, 'list', 'show what changed in a business, newest first')
    .option('--action <action>', 'one action, as api_key.created, or all of a kind, as api_key.*')
    .option('--since <time>', 'from then on: a duration, as 24h, or an RFC 3339 time')
    .option('--limit <count>', 'at most so many, up to 500', parseCount, 50)
    .option('--before <id>', 'older than this event')
    .addHelpText('after', example('audit list --business 7 --action "api_key.*" --since 7d'));
  onRun<AuditOptions>(list, context, async (options, acts) => {
    const { business, since } = options;
    const from = since === undefined ? undefined : parseSince(since, context.terminal.now());
    await checkExists(acts, business);
    const { action, limit, before } = parseInput(pageSchema, options, 'invalid_request');
    await acts.operatorLog.record(auditLogRead(operatorActor(), business, before));
    const { events, next } = await acts.auditLog.page(business, { action, from }, limit, before);
    const more = next === undefined ? '' : `Older ones: --before ${next}\n`;
    return {
      json: { events: events.map(eventJson), nextBefore: next ?? null },
      text: events.length === 0 ? 'No event.\n' : eventTable(events) + more,
    };
  });
  addVerify(group, context);
  return group;
}

function eventJson({ id, at, actor, clientIp, requestId, action, subject, details }: RecordedEvent) {
  return {
    id,
    at: formatTime(at),
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name || null,
    clientIp: clientIp ?? null,
    requestId,
    action,
    subjectId: subject.id,
    subjectName: subject.name || null,
    details,
  };
}

function eventTable(events: readonly RecordedEvent[]): string {
  const headings = ['ID', 'AT', 'ACTION', 'SUBJECT', 'BY', 'FROM', 'DETAILS'];
  const rows = events.map(({ id, at, action, subject, actor, clientIp = '', details }) => [
    id,
    formatTime(at),
    action,
    named(subject),
    `${actor.kind} ${named(actor)}`,
    clientIp,
    JSON.stringify(details),
  ]);
  return formatTable(headings, rows);
}

const named = ({ name = '', id }: { readonly name: string | undefined; readonly id: string }) =>
  name === '' ? id : `${name} (${id})`;
