import { Box, Text } from '@mantine/core';
import { Address } from '../../parts/address.tsx';
import { type Column, DataTable } from '../../parts/data-table/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { actorName, actorNote } from './actor-words.ts';
import type { AuditActor, AuditEvent } from './audit-log.ts';
import { EventCell } from './event-cell.tsx';

const columns: readonly Column<AuditEvent>[] = [
  { header: 'What', cell: (event) => <EventCell event={event} /> },
  { header: 'Who', cell: ({ actor }) => <ActorCell actor={actor} /> },
  { header: 'Address', cell: ({ clientIp }) => <Address ip={clientIp} /> },
  { header: 'When', cell: ({ at }) => <Moment at={at} /> },
];

/** What was done, by whom, from where and when. */
export function AuditTable({ events }: { readonly events: readonly AuditEvent[] }) {
  return (
    <DataTable
      label="Audit log"
      columns={columns}
      rows={events}
      keyOf={({ id }) => id}
      alignTop
      cardsBelow="md"
    />
  );
}

function ActorCell({ actor }: { readonly actor: AuditActor }) {
  const note = actorNote(actor);
  return (
    <Box miw="9rem">
      <Text size="sm" lineClamp={2}>
        {actorName(actor)}
      </Text>
      {note !== undefined && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {note}
        </Text>
      )}
    </Box>
  );
}
