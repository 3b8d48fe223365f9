import { Anchor, Code } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Moment } from '../../parts/moment.tsx';
import classes from './audit.module.css';
import type { AuditEvent } from './audit-log.ts';
import { subjectLink } from './subject-link.ts';

/** Everything that is on record of an event. */
export function EventDetails({ event }: { readonly event: AuditEvent }) {
  const { at, action, changes, facts, requestId, subject } = event;
  return (
    <dl className={classes.details}>
      {changes.map(({ field, label, from, to }) => (
        <Detail key={field} name={label}>
          <span className={classes.before}>
            <Value field={field} value={from} />
          </span>
          <IconArrowRight size={14} role="img" aria-label="became" className={classes.arrow ?? ''} />
          <Value field={field} value={to} />
        </Detail>
      ))}
      <Detail name="About">
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
        <Moment at={at} format="exact" />
      </Detail>
      <Detail name="Request id">
        <span className={classes.together}>
          <Code>{requestId}</Code>
          <CopyButton value={requestId} what="the request id" />
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

/** Fields that hold moments end so. */
function Value({ field, value }: { readonly field: string; readonly value: string | null }) {
  if (value === null) return 'none';
  return field.endsWith('At') ? <Moment at={value} format="exact" /> : value;
}

function Subject({ subject }: Pick<AuditEvent, 'subject'>) {
  const { id, name } = subject;
  const link = subjectLink(subject);
  return (
    <>
      {link === undefined ? (
        <span>{name ?? 'No longer there'}</span>
      ) : (
        <Anchor component={Link} href={link} underline="always">
          {name ?? 'This business'}
        </Anchor>
      )}{' '}
      <Code>{id}</Code>
    </>
  );
}
