import type { Platform } from './platform.ts';
import { query } from './postgres.ts';

type Databases = Pick<Platform, 'databases'>;

/** Actions on a subject with their actors, oldest first. */
export function eventsOf({ databases }: Databases, subjectId: string) {
  const text = 'SELECT action, actor_kind, actor_id FROM audit_events WHERE subject_id = $1 ORDER BY id';
  return query<{ action: string; actor_kind: string; actor_id: string }>(databases.identity, text, [
    subjectId,
  ]);
}

export async function actionsOf(platform: Databases, { id }: { readonly id: string }): Promise<string[]> {
  return (await eventsOf(platform, id)).map(({ action }) => action);
}
