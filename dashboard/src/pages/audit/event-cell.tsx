import { Button, Text } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useId, useState } from 'react';
import classes from './audit.module.css';
import type { AuditEvent } from './audit-log.ts';
import { EventDetails } from './event-details.tsx';

/** What happened, and its details for those who ask. */
export function EventCell({ event }: { readonly event: AuditEvent }) {
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
      <div id={id} className={classes.room}>
        {isOpen && <EventDetails event={event} />}
      </div>
    </>
  );
}
