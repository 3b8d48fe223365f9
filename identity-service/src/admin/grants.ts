import type { GrantMessage } from '@platform/protos/identity';
import { Command } from 'commander';
import { type CommandContext, callOptions, commandOfBusiness, onRun, operatorActor } from './command.ts';
import { formatTable, pendingNotice, propagationJson, toMoment } from './output.ts';

interface One {
  readonly business: number;
  readonly grant: string;
}

/** `grant …`: the applications that a business is connected to. */
export function grantCommands(context: CommandContext): Command {
  const group = new Command('grant').description('connected applications of businesses');
  const list = commandOfBusiness(
    group,
    'list',
    'show the connected applications of a business, newest first',
  );
  onRun<Pick<One, 'business'>>(
    list.addHelpText('after', example('list --business 7 --json')),
    context,
    async ({ business }, clients) => {
      const { grants } = await clients.grants.ListGrants({ businessId: business }, callOptions());
      return { json: grants.map(grantJson), text: grantTable(grants) };
    },
  );
  const disconnect = commandOfBusiness(
    group,
    'disconnect',
    'end a Grant; all its tokens stop working at once',
  )
    .requiredOption('--grant <id>', 'identifier of the Grant')
    .addHelpText('after', example('disconnect --business 7 --grant grt_5f2b8c19ad03e47766b1c0de'));
  onRun<One>(disconnect, context, async ({ business, grant }, { grants }) => {
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
  const { createdAtUnixMs, approvedAtUnixMs, lastUsedAtUnixMs, lastUsedIp, ...fields } = grant;
  return {
    ...fields,
    createdAt: toMoment(createdAtUnixMs),
    approvedAt: toMoment(approvedAtUnixMs),
    lastUsedAt: toMoment(lastUsedAtUnixMs),
    lastUsedIp: lastUsedIp || null,
  };
}

function grantTable(grants: readonly GrantMessage[]): string {
  const headings = ['ID', 'APPLICATION', 'SCOPES', 'USED', 'APPROVED', 'LAST USED', 'FROM'];
  const rows = grants.map((grant) => [
    grant.id,
    `${grant.applicationName} (${grant.applicationId})`,
    grant.scopes.join(','),
    grant.scopesUsed.join(',') || 'none',
    toMoment(grant.approvedAtUnixMs) ?? '',
    toMoment(grant.lastUsedAtUnixMs) ?? 'never',
    grant.lastUsedIp,
  ]);
  return formatTable(headings, rows);
}

function example(line: string): string {
  return `\nExample:\n  $ npm run admin -- grant ${line}\n`;
}
