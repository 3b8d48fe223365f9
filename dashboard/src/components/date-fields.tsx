import { TextInput } from '@mantine/core';
import { type DayRange, readDay } from './date-range.ts';

/** Chooses days, for lists by time. */
export function DayFields({
  value,
  onChange,
}: {
  readonly value: DayRange;
  readonly onChange: (range: DayRange) => void;
}) {
  return (
    <>
      <TextInput
        type="date"
        label="From"
        flex="1 1 9rem"
        maw={{ base: '100%', sm: '12rem' }}
        value={value.from ?? ''}
        onChange={(event) => onChange({ ...value, from: readDay(event.currentTarget.value) })}
      />
      <TextInput
        type="date"
        label="To"
        flex="1 1 9rem"
        maw={{ base: '100%', sm: '12rem' }}
        value={value.to ?? ''}
        onChange={(event) => onChange({ ...value, to: readDay(event.currentTarget.value) })}
      />
    </>
  );
}
