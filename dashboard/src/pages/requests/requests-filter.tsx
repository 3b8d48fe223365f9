import { Group, Select } from '@mantine/core';
import { useState } from 'react';
import { DateRangeFields } from '../../components/date-range-fields.tsx';
import { parseFilter, type RequestFilter, reasons, useCredentialOptions } from './requests.ts';

/** Removes the last four characters from a label, because the label of a selected option becomes the search text. */
const nameIn = (label: string) => label.replace(/ \(…\w{4}\)$/, '');

/** Selects an API key or connected app. */
function CredentialSelect({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const [search, setSearch] = useState('');
  const options = useCredentialOptions(value, nameIn(search));
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
      onSearchChange={setSearch}
      clearable
      limit={100}
      nothingFoundMessage="No match"
    />
  );
}

const statuses = [
  { value: '4xx', label: '4xx' },
  { value: '5xx', label: '5xx' },
];

const reasonOptions = reasons.map(({ reason, label }) => ({ value: reason, label }));

/** Filters the list of requests. */
export function RequestsFilter({
  filter,
  onChange,
}: {
  readonly filter: RequestFilter;
  readonly onChange: (filter: RequestFilter) => void;
}) {
  const choose = (name: 'status' | 'reason') => (value: string | null) => {
    const chosen = parseFilter(new URLSearchParams({ [name]: value ?? '' }));
    onChange({ ...filter, [name]: chosen[name] });
  };
  return (
    <Group gap="sm" mb="md" align="flex-end" role="group" aria-label="Filters">
      <Select
        flex="1 1 8rem"
        maw={{ base: '100%', sm: '11rem' }}
        label="Status"
        placeholder="All"
        data={statuses}
        value={filter.status ?? null}
        onChange={choose('status')}
        clearable
      />
      <Select
        flex="1 1 10rem"
        maw={{ base: '100%', sm: '14rem' }}
        label="Reason"
        placeholder="All"
        data={reasonOptions}
        value={filter.reason ?? null}
        onChange={choose('reason')}
        clearable
      />
      <CredentialSelect
        value={filter.credential}
        onChange={(credential) => onChange({ ...filter, credential })}
      />
      <DateRangeFields value={filter} onChange={(days) => onChange({ ...filter, ...days })} />
    </Group>
  );
}
