import type { Prisma } from '../../generated/client.ts';
import { type Actor, personOf } from '../../platform/actor.ts';
import type { ApplicationSettings } from './settings.ts';

/** Lists of an application whose entries have a maker: where codes go, and from where and by which pages tokens are used. */
export const entryLists = ['redirectUris', 'ipWhitelist', 'allowedOrigins'] as const;

export type EntryLists = Pick<ApplicationSettings, (typeof entryLists)[number]>;

/** Notes the person who added entries, and forgets the makers of those that are gone. */
export async function noteMakers(
  client: Prisma.TransactionClient,
  actor: Actor,
  before: EntryLists,
  after: EntryLists & { readonly id: string },
): Promise<void> {
  const { id: applicationId } = after;
  const personId = personOf(actor);
  for (const list of entryLists) {
    const added = after[list].filter((entry) => !before[list].includes(entry));
    const removed = before[list].filter((entry) => !after[list].includes(entry));
    const makers = client.applicationEntryMaker;
    if (removed.length > 0)
      await makers.deleteMany({ where: { applicationId, list, entry: { in: removed } } });
    if (personId === undefined || added.length === 0) continue;
    await makers.createMany({ data: added.map((entry) => ({ applicationId, list, entry, personId })) });
  }
}
