import { Command } from 'commander';
import type { Acts } from '../acts.ts';
import { disconnectGrant } from '../credentials/grants/end-grant.ts';
import { applicationSuspension, type Grant } from '../credentials/grants/grant.ts';
import { addBusinessCommand, type CommandContext, example, onRun, operatorActor } from './command.ts';
import { formatTable, formatTime, pendingNotice, propagationJson } from './output.ts';
import { scopeTexts } from './scope-texts.ts';

interface GrantOptions {
  readonly business: number;
  readonly grant: string;
}

/** `grant …`: connected applications of a business. */
export function grantCommands(context: CommandContext): Command {
  const group = new Command('grant').description('connected applications of businesses');
  const list = addBusinessCommand(
    group,
    'list',
    'show the connected applications of a business, newest first',
  );
  onRun<Pick<GrantOptions, 'business'>>(
    list.addHelpText('after', example('grant list --business 7 --json')),
    context,
    async ({ business }, acts) => {
      const grants = await acts.grants.list(business);
      return { json: grants.map(grantJson), text: grantTable(acts, grants) };
    },
  );
  const disconnect = addBusinessCommand(group, 'disconnect', 'end a Grant and revoke all its tokens at once')
    .requiredOption('--grant <id>', 'identifier of the Grant')
    .addHelpText('after', example('grant disconnect --business 7 --grant grt_5f2b8c19ad03e47766b1c0de'));
  onRun<GrantOptions>(disconnect, context, async ({ business, grant }, acts) => {
    const reference = { actor: operatorActor(), businessId: business, grantId: grant };
    const propagation = await disconnectGrant(acts, reference);
    return {
      json: { id: grant, disconnected: true, ...propagationJson(propagation) },
      text: `${grant} is disconnected.\n`,
      pending: pendingNotice('disconnected', propagation),
    };
  });
  return group;
}

function grantJson(grant: Grant) {
  const { createdAt, approvedAt, lastUsedAt, lastUsedIp, suspendedAt, suspensions: _, ...fields } = grant;
  return {
    ...fields,
    createdAt: formatTime(createdAt),
    approvedAt: formatTime(approvedAt),
    lastUsedAt: formatTime(lastUsedAt),
    lastUsedIp: lastUsedIp ?? null,
    suspendedAt: formatTime(suspendedAt),
    applicationSuspendedAt: formatTime(applicationSuspension(grant)?.suspendedAt),
  };
}

function grantTable(known: Pick<Acts, 'apiScopes'>, grants: readonly Grant[]): string {
  const headings = ['ID', 'APPLICATION', 'SCOPES', 'USED', 'APPROVED', 'LAST USED', 'FROM'];
  const rows = grants.map((grant) => [
    grant.id,
    `${grant.applicationName} (${grant.applicationId})`,
    scopeTexts(known, grant.scopes).join(','),
    grant.scopesUsed.join(',') || 'none',
    formatTime(grant.approvedAt),
    formatTime(grant.lastUsedAt) ?? 'never',
    grant.lastUsedIp ?? '',
  ]);
  return formatTable(headings, rows);
}
