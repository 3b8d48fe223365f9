import type { AuditActor } from './audit-log.ts';

const kinds: Readonly<Record<AuditActor['kind'], string>> = {
  person: 'A person who is gone',
  operator: 'Our support',
  application: 'An app that is gone',
  system: 'The platform',
};

/** Who did it, by name where there is one. */
export const actorName = ({ kind, name }: AuditActor): string => name ?? kinds[kind];

/** What tells people of one name apart. */
export function actorNote({ kind, id, name, email }: AuditActor): string | undefined {
  if (email !== null) return email;
  if (kind === 'application') return name === null ? id : 'App';
  return kind === 'system' ? undefined : id;
}
