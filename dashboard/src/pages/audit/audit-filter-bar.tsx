import { Group, Select } from '@mantine/core';
import { DayFields } from '../../parts/day-fields.tsx';
import { actionGroups } from './actions.ts';
import { ActorSelect } from './actor-select.tsx';
import type { AuditFilter } from './audit-filter.ts';

const options = actionGroups.map(({ group, items }) => ({ group, items: [...items] }));

/** Chooses what of the log is shown. */
export function AuditFilterBar({
  filter,
  onChange,
}: {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}) {
  return (
    <Group gap="sm" mb="md" align="flex-end" role="group" aria-label="Filters">
      <Select
        flex="1 1 14rem"
        maw={{ base: '100%', sm: '20rem' }}
        label="What"
        placeholder="Everything"
        data={options}
        value={filter.action ?? null}
        onChange={(action) => onChange({ ...filter, action: action ?? undefined })}
        searchable
        clearable
        nothingFoundMessage="Nothing of this name"
      />
      <ActorSelect value={filter.actor} onChange={(actor) => onChange({ ...filter, actor })} />
      <DayFields value={filter} onChange={(days) => onChange({ ...filter, ...days })} />
    </Group>
  );
}
