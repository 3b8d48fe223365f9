import { Select } from '@mantine/core';
import { useCredentialOptions } from './credential-options.ts';

/** Chooses one API key or connected app. */
export function CredentialSelect({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const options = useCredentialOptions(value);
  return (
    <Select
      flex="1 1 12rem"
      maw={{ base: '100%', sm: '18rem' }}
      label="Key or app"
      placeholder="All"
      data={[...options]}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      limit={100}
      nothingFoundMessage="No key or app of this name"
    />
  );
}
