import { AppError } from '@platform/service-kit/values/app-error.ts';
import { Command } from 'commander';
import type { Acts } from '../acts.ts';
import { requestRead } from '../audit/operator-log/log.ts';
import { endsOf, toRequestDetail } from '../traffic/dashboard.ts';
import type { RequestRecord } from '../traffic/request-log.ts';
import { type CommandContext, type CommandResult, example, onRun, operatorActor } from './command.ts';
import { formatRecord, formatTable, formatTime } from './output.ts';

/** `explain`: a request of any business, as its dashboard shows it. */
export function explainCommand(context: CommandContext): Command {
  const command = new Command('explain')
    .description(
      'explain a request of any business by its X-Request-Id: its checks, what went wrong, how to fix it',
    )
    .argument('<request-id>')
    .addHelpText('after', example('explain 6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60'));
  return onRun(command, context, (_, acts) => explain(acts, command.args[0] ?? ''));
}

async function explain(acts: Acts, id: string): Promise<CommandResult> {
  const record = await acts.requests.findAny(id.toLowerCase());
  if (record === undefined)
    throw new AppError('not_found', 'request_not_on_record', 'no request with this id');
  await acts.operatorLog.record(requestRead(operatorActor(), record));
  const { businessId, limitId } = record;
  const [client] =
    businessId === undefined || limitId === undefined ? [] : await acts.findClients(businessId, [limitId]);
  const ends = await endsOf(acts, record);
  const detail = toRequestDetail({ record, client, ends }, acts.supportEmail);
  return {
    json: { ...detail, at: formatTime(record.at), businessId: businessId ?? null },
    text: describe(record, detail),
  };
}

const outcomes = { passed: 'ok', failed: 'FAILED', not_reached: 'not reached' } as const;

function describe(record: RequestRecord, detail: ReturnType<typeof toRequestDetail>): string {
  const { businessId, method, path, status, clientIp, userAgent } = record;
  const { credential, title, explanation } = detail;
  const { caller } = credential ?? {};
  const facts = {
    request: record.id,
    at: formatTime(record.at),
    business: businessId === undefined ? 'unknown' : String(businessId),
    credential: credential === null ? 'unknown' : `${credential.type} ${credential.id}`,
    ...(caller && { of: `${caller.name ?? 'deleted'} (${caller.id})` }),
    sent: `${method} ${path}`,
    from: `${clientIp} ${userAgent}`,
    status: String(status),
    title,
    reason: record.refusal ?? '',
    error: record.error ?? '',
    ...(explanation && { problem: explanation.problem, advice: explanation.advice }),
  };
  const checks = detail.decision.map(({ check, outcome, words }) => [check, outcomes[outcome], words]);
  return `${formatRecord(facts)}\n${formatTable(['CHECK', 'OUTCOME', 'TRUE WHERE IT PASSED'], checks)}`;
}
