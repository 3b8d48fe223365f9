import { Anchor, Box, Button, Code, Text } from '@mantine/core';
import { IconArrowRight, IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../components/copy.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { IpAddress } from '../../components/ip-address.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import classes from './audit.module.css';
import { type AuditActor, type AuditEvent, actorDetail, actorName, subjectLink } from './audit.ts';

/** All recorded details of an event. */
function EventDetails({ event }: { readonly event: AuditEvent }) {
  const { at, action, changes, facts, requestId, subject } = event;
  return (
    <dl className={classes.details}>
      {changes.map(({ field, label, from, to }) => (
        <Detail key={field} name={label}>
          <span className={classes.before}>
            <Value field={field} value={from} />
          </span>
          <IconArrowRight size={14} role="img" aria-label="changed to" className={classes.arrow ?? ''} />
          <Value field={field} value={to} />
        </Detail>
      ))}
      <Detail name="Subject">
        <Subject subject={subject} />
      </Detail>
      {facts
        .filter(({ field, value }) => field !== 'name' || value !== subject.name)
        .map(({ field, label, value }) => (
          <Detail key={field} name={label}>
            <Value field={field} value={value} />
          </Detail>
        ))}
      <Detail name="Action">
        <Code>{action}</Code>
      </Detail>
      <Detail name="Time">
        <Timestamp at={at} format="exact" />
      </Detail>
      <Detail name="Request ID">
        <span className={classes.inline}>
          <Code>{requestId}</Code>
          <CopyButton value={requestId} what="the request ID" />
        </span>
      </Detail>
    </dl>
  );
}

function Detail({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Shows fields that end in "At" as timestamps. */
function Value({ field, value }: { readonly field: string; readonly value: string | null }) {
  if (value === null) return 'none';
  return field.endsWith('At') ? <Timestamp at={value} format="exact" /> : value;
}

function Subject({ subject }: Pick<AuditEvent, 'subject'>) {
  const { id, name } = subject;
  const link = subjectLink(subject);
  return (
    <>
      {link === undefined ? (
        <span>{name ?? 'No longer exists'}</span>
      ) : (
        <Anchor component={Link} href={link} underline="always">
          {name ?? 'This business'}
        </Anchor>
      )}{' '}
      <Code>{id}</Code>
    </>
  );
}

/** Description of an event with expandable details. */
function EventCell({ event }: { readonly event: AuditEvent }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const Icon = isOpen ? IconChevronUp : IconChevronDown;
  return (
    <>
      <Text size="sm" fw={500}>
        {event.words}
      </Text>
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        ml={-8}
        mt={2}
        rightSection={<Icon size={14} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={`Details: ${event.words}`}
        onClick={() => setOpen(!isOpen)}
      >
        Details
      </Button>
      <div id={id} className={classes.expandable}>
        {isOpen && <EventDetails event={event} />}
      </div>
    </>
  );
}

const columns: readonly Column<AuditEvent>[] = [
  { header: 'Event', cell: (event) => <EventCell event={event} /> },
  { header: 'Actor', cell: ({ actor }) => <ActorCell actor={actor} /> },
  { header: 'IP address', cell: ({ clientIp }) => <IpAddress ip={clientIp} /> },
  { header: 'Time', cell: ({ at }) => <Timestamp at={at} /> },
];

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
  const note = actorDetail(actor);
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
