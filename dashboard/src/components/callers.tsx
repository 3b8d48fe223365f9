import { Anchor, Code, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { components } from '../generated/dashboard-api.d.ts';

type Caller = components['schemas']['Caller'];

export const words = {
  api_key: { kind: 'API key', gone: 'A deleted key' },
  application: { kind: 'App', gone: 'An app that is gone' },
} as const;

/** An API key or connected application by its name, with the way to its page. */
export function CallerName({
  caller,
  note,
}: {
  readonly caller: Caller;
  /** Below the name, in the place of what it is. */
  readonly note?: ReactNode;
}) {
  const { kind, id, name, exists } = caller;
  const { kind: word, gone } = words[kind];
  const href = kind === 'api_key' ? `/developers/keys/${id}` : '/connected';
  return (
    <>
      {exists ? (
        <Anchor component={Link} href={href} size="sm" fw={600} c="var(--mantine-color-text)" lineClamp={2}>
          {name}
        </Anchor>
      ) : (
        <Text size="sm" fw={600} lineClamp={2}>
          {name ?? gone}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {note ?? (exists ? word : name === null ? id : `${word}, not connected any more`)}
      </Text>
    </>
  );
}

/** An IP address or a block of them. Broken behind colons only: elsewhere its parts would be misread. */
export function Address({
  ip,
  absent = '–',
}: {
  readonly ip: string | null | undefined;
  readonly absent?: string;
}) {
  if (ip === null || ip === undefined || ip === '') return <>{absent}</>;
  return (
    <Code style={{ overflowWrap: 'normal' }}>
      {ip.split(/(?<=:)/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts repeat, and never change
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </Code>
  );
}
