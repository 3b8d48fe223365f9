import { Select } from '@mantine/core';
import { actorName, actorNote } from './actor-words.ts';
import { useAuditActors } from './audit-log.ts';

/** Chooses whose acts are shown. */
export function ActorSelect({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const { data = [] } = useAuditActors();
  const known = data.map((actor) => ({
    value: `${actor.kind}:${actor.id}`,
    label: [actorName(actor), actorNote(actor)].filter((text) => text !== undefined).join(' · '),
  }));
  const isKnown = value === undefined || known.some((option) => option.value === value);
  return (
    <Select
      flex="1 1 12rem"
      maw={{ base: '100%', sm: '20rem' }}
      label="Who"
      placeholder="Everybody"
      data={isKnown ? known : [...known, { value, label: value }]}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      nothingFoundMessage="Nobody of this name"
    />
  );
}
