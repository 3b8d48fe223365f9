import { Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useCredentialOptions } from './credential-options.ts';
import { endpointIndex, parseFilter, type RequestFilter } from './filter.ts';
import { endpointLabel, endpoints, statuses, statusLabel } from './filter-options.ts';
import { useReasons } from './requests.ts';
import { parseMinute, spans } from './time-filter.ts';

/** Removes the last four characters from a label, because the label of a selected option becomes the search text. */
const nameIn = (label: string) => label.replace(/ \(…\w{4}\)$/, '');

/** Selects an API key, a connected app or an own app. */
function CredentialSelect({ value, onChange }: FieldProps) {
  const [search, setSearch] = useState('');
  const options = useCredentialOptions(value, nameIn(search));
  return (
    <FilterSelect
      label="Key or app"
      data={options}
      value={value}
      onChange={onChange}
      onSearchChange={setSearch}
    />
  );
}

/** Selects a class of statuses, or any status, which may be typed. */
function StatusSelect({ value, onChange }: FieldProps) {
  const [search, setSearch] = useState('');
  const typed = parseFilter(new URLSearchParams({ status: search.trim() })).status;
  const shown = new Set([...statuses, ...[value, typed].filter((status) => status !== undefined)]);
  return (
    <FilterSelect
      label="Status"
      data={[...shown].map((status) => ({ value: status, label: statusLabel(status) }))}
      value={value}
      onChange={onChange}
      onSearchChange={setSearch}
    />
  );
}

function ReasonSelect({ value, onChange }: FieldProps) {
  const options = useReasons().data?.map(({ reason, words }) => ({ value: reason, label: words })) ?? [];
  const isKnown = value === undefined || options.some((option) => option.value === value);
  const data = isKnown ? options : [...options, { value, label: value }];
  return <FilterSelect label="Reason" data={data} value={value} onChange={onChange} />;
}

/** Selects method and route. */
function EndpointSelect({
  filter,
  onChange,
}: {
  readonly filter: RequestFilter;
  readonly onChange: (filter: RequestFilter) => void;
}) {
  const { method, route } = filter;
  const index = endpointIndex(filter);
  const isOther = index < 0 && (method !== undefined || route !== undefined);
  const listed = isOther ? [...endpoints, { method, route }] : endpoints;
  return (
    <FilterSelect
      label="Endpoint"
      data={listed.map((each, i) => ({ value: String(i), label: endpointLabel(each.method, each.route) }))}
      value={isOther ? String(endpoints.length) : index < 0 ? undefined : String(index)}
      onChange={(chosen) => {
        const each = chosen === undefined ? undefined : listed[Number(chosen)];
        onChange({ ...filter, method: each?.method, route: each?.route });
      }}
    />
  );
}

interface FieldProps {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

/** A field of the filter; empty for all. */
function FilterSelect({
  label,
  data,
  value,
  onChange,
  onSearchChange,
  placeholder = 'All',
}: FieldProps & {
  readonly label: string;
  readonly data: readonly (Option | { readonly group: string; readonly items: Option[] })[];
  readonly onSearchChange?: (search: string) => void;
  readonly placeholder?: string;
}) {
  return (
    <Select
      flex="1 1 10rem"
      maw={{ base: '100%', sm: '15rem' }}
      label={label}
      placeholder={placeholder}
      data={[...data]}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      {...(onSearchChange !== undefined && { onSearchChange })}
      clearable
      limit={100}
      nothingFoundMessage="No match"
    />
  );
}

/** The first and last minute of a filter. */
function BetweenFields({ filter, onChange }: RequestsFilterProps) {
  const field = (name: 'from' | 'to', clock: string, label: string) => (
    <TextInput
      type="datetime-local"
      label={label}
      flex="1 1 11rem"
      maw={{ base: '100%', sm: '14rem' }}
      value={filter[name] ?? ''}
      onChange={(event) => onChange({ ...filter, [name]: parseMinute(event.currentTarget.value, clock) })}
    />
  );
  return (
    <>
      {field('from', '00:00', 'From')}
      {field('to', '23:59', 'To')}
    </>
  );
}

interface RequestsFilterProps {
  readonly filter: RequestFilter;
  readonly onChange: (filter: RequestFilter) => void;
}

/** Filters requests. */
export function RequestsFilter({
  filter,
  wholeTime,
  onChange,
}: RequestsFilterProps & {
  /** Label of the time without a filter. */
  readonly wholeTime: string;
}) {
  const set = (name: keyof RequestFilter) => (value: string | undefined) =>
    onChange({ ...filter, [name]: value });
  return (
    <Group gap="sm" align="flex-end" role="group" aria-label="Filters">
      <StatusSelect value={filter.status} onChange={set('status')} />
      <ReasonSelect value={filter.reason} onChange={set('reason')} />
      <EndpointSelect filter={filter} onChange={onChange} />
      <CredentialSelect value={filter.credential} onChange={set('credential')} />
      <FilterSelect
        label="Time"
        placeholder={wholeTime}
        data={spans}
        value={filter.span}
        onChange={(value) => {
          const span = spans.find((each) => each.value === value)?.value;
          onChange({ ...filter, span, from: undefined, to: undefined });
        }}
      />
      {filter.span === 'between' && <BetweenFields filter={filter} onChange={onChange} />}
    </Group>
  );
}
