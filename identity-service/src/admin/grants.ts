import type { GrantMessage } from '@platform/protos/identity';
import { Command } from 'commander';
import {
  addBusinessCommand,
  type CommandContext,
  callOptions,
  example,
  onRun,
  operatorActor,
} from './command.ts';
import { formatTable, formatTime, pendingNotice, propagationJson } from './output.ts';

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
    async ({ business }, clients) => {
      const { grants } = await clients.grants.ListGrants({ businessId: business }, callOptions());
      return { json: grants.map(grantJson), text: grantTable(grants) };
    },
  );
  const disconnect = addBusinessCommand(group, 'disconnect', 'end a Grant and revoke all its tokens at once')
    .requiredOption('--grant <id>', 'identifier of the Grant')
    .addHelpText('after', example('grant disconnect --business 7 --grant grt_5f2b8c19ad03e47766b1c0de'));
  onRun<GrantOptions>(disconnect, context, async ({ business, grant }, { grants }) => {
    const request = { actor: operatorActor(), businessId: business, grantId: grant };
    const { propagation } = await grants.DisconnectGrant(request, callOptions());
    return {
      json: { id: grant, disconnected: true, ...propagationJson(propagation) },
      text: `${grant} is disconnected.\n`,
      pending: pendingNotice('disconnected', propagation),
    };
  });
  return group;
}

function grantJson(grant: GrantMessage) {
  const { createdAtUnixMs, approvedAtUnixMs, lastUsedAtUnixMs, lastUsedIp, ...rest } = grant;
  const { suspendedAtUnixMs, applicationSuspendedAtUnixMs, ...fields } = rest;
  return {
    ...fields,
    createdAt: formatTime(createdAtUnixMs),
    approvedAt: formatTime(approvedAtUnixMs),
    lastUsedAt: formatTime(lastUsedAtUnixMs),
    lastUsedIp: lastUsedIp || null,
    suspendedAt: formatTime(suspendedAtUnixMs),
    applicationSuspendedAt: formatTime(applicationSuspendedAtUnixMs),
  };
}

function grantTable(grants: readonly GrantMessage[]): string {
  const headings = ['ID', 'APPLICATION', 'SCOPES', 'USED', 'APPROVED', 'LAST USED', 'FROM'];
  const rows = grants.map((grant) => [
    grant.id,
    `${grant.applicationName} (${grant.applicationId})`,
    grant.scopes.join(','),
    grant.scopesUsed.join(',') || 'none',
    formatTime(grant.approvedAtUnixMs) ?? '',
    formatTime(grant.lastUsedAtUnixMs) ?? 'never',
    grant.lastUsedIp,
  ]);
  return formatTable(headings, rows);
}
