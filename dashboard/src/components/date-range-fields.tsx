import { TextInput } from '@mantine/core';
import { type DateRange, parseDate } from './date-range.ts';

/** Selects the first and last day of a filter. */
export function DateRangeFields({
  value,
  onChange,
}: {
  readonly value: DateRange;
  readonly onChange: (range: DateRange) => void;
}) {
  return (
    <>
      <TextInput
        type="date"
        label="From"
        flex="1 1 9rem"
        maw={{ base: '100%', sm: '12rem' }}
        value={value.from ?? ''}
        onChange={(event) => onChange({ ...value, from: parseDate(event.currentTarget.value) })}
      />
      <TextInput
        type="date"
        label="To"
        flex="1 1 9rem"
        maw={{ base: '100%', sm: '12rem' }}
        value={value.to ?? ''}
        onChange={(event) => onChange({ ...value, to: parseDate(event.currentTarget.value) })}
      />
    </>
  );
}
