import { CloseButton, Group, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyFilter, readFilter } from './filter-keys.ts';

const types = [
  { value: 'secret', label: 'Secret' },
  { value: 'restricted', label: 'Restricted' },
];
const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'soon', label: 'Expiring soon' },
  { value: 'expired', label: 'Expired' },
];

/** Chooses what of the list is shown. */
export function KeysFilter({
  filter,
  onChange,
}: {
  readonly filter: KeyFilter;
  readonly onChange: (filter: KeyFilter) => void;
}) {
  const choose = (name: 'type' | 'status') => (value: string | null) => {
    const chosen = readFilter(new URLSearchParams({ [name]: value ?? '' }));
    onChange({ ...filter, [name]: chosen[name] });
  };
  return (
    <Group gap="sm" mb="md" role="search" aria-label="API keys">
      <TextInput
        flex={{ base: '1 1 100%', md: '1 1 16rem' }}
        aria-label="Search by name or last four characters"
        placeholder="Name or last four characters"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          filter.text !== '' && (
            <CloseButton
              size="sm"
              aria-label="Clear the search"
              onClick={() => onChange({ ...filter, text: '' })}
            />
          )
        }
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.currentTarget.value })}
      />
      <Select
        flex="1 1 9rem"
        maw={{ md: '12rem' }}
        aria-label="Type"
        placeholder="Every type"
        data={types}
        value={filter.type ?? null}
        onChange={choose('type')}
        clearable
      />
      <Select
        flex="1 1 9rem"
        maw={{ md: '12rem' }}
        aria-label="Status"
        placeholder="Every status"
        data={statuses}
        value={filter.status ?? null}
        onChange={choose('status')}
        clearable
      />
    </Group>
  );
}
