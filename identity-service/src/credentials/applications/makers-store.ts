import type { Prisma } from '../../generated/client.ts';
import { type Actor, personOf } from '../../platform/actor.ts';
import type { ApplicationSettings } from './settings.ts';

/** Lists of an application whose entries record the person who added them: redirect URIs, addresses and origins. */
export const entryLists = ['redirectUris', 'ipWhitelist', 'allowedOrigins'] as const;

export type EntryLists = Pick<ApplicationSettings, (typeof entryLists)[number]>;

/** Records who added new entries, and deletes the records of removed ones. */
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
