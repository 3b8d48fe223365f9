import { CloseButton, Group, Select, TextInput } from '@mantine/core';
import { IconArrowsSort, IconSearch } from '@tabler/icons-react';
import { type KeyFilter, parseFilter, sorts, statuses, types } from './key-filter.ts';

/** Filters and sorts the list of keys. */
export function KeysFilter({
  filter,
  onChange,
}: {
  readonly filter: KeyFilter;
  readonly onChange: (filter: KeyFilter) => void;
}) {
  const choose = (name: 'type' | 'status' | 'sort') => (value: string | null) => {
    const chosen = parseFilter(new URLSearchParams({ [name]: value ?? '' }));
    onChange({ ...filter, [name]: chosen[name] });
  };
  const width = { flex: '1 1 9rem', maw: { md: '12rem' } };
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
              aria-label="Clear search"
              onClick={() => onChange({ ...filter, text: '' })}
            />
          )
        }
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.currentTarget.value })}
      />
      <Select
        {...width}
        aria-label="Type"
        placeholder="All types"
        data={types}
        value={filter.type ?? null}
        onChange={choose('type')}
        clearable
      />
      <Select
        {...width}
        aria-label="Status"
        placeholder="All statuses"
        data={statuses}
        value={filter.status ?? null}
        onChange={choose('status')}
        clearable
      />
      <Select
        {...width}
        aria-label="Sort"
        leftSection={<IconArrowsSort size={16} aria-hidden />}
        data={sorts}
        value={filter.sort}
        onChange={choose('sort')}
        allowDeselect={false}
      />
    </Group>
  );
}
