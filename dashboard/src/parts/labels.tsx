import { Anchor, Badge, Checkbox, Code, Stack, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconInfoCircle,
  type TablerIcon,
} from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useScopes } from '../api/session.ts';
import type { components } from '../generated/dashboard-api.d.ts';
import { Row, Rows } from './rows.tsx';
import { Loaded, LoadingRows } from './states.tsx';

type Caller = components['schemas']['Caller'];

const words = {
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

/** For password managers: whose password the form is about. Seen and reached by nobody else. */
export function LoginName({ email }: { readonly email: string }) {
  return <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />;
}

/** Permissions in plain words, each with what became of it. */
export function ScopeRows({
  label,
  scopes,
}: {
  readonly label: string;
  readonly scopes: readonly { readonly scope: string; readonly state: ReactNode }[];
}) {
  const { data = [] } = useScopes();
  return (
    <Rows label={label} isStacked>
      {scopes.map(({ scope, state }) => (
        <Row key={scope} end={state}>
          <Text size="sm">{data.find((known) => known.scope === scope)?.words ?? scope}</Text>
          <Code fz="xs">{scope}</Code>
        </Row>
      ))}
    </Rows>
  );
}

/** Chooses permissions, each by its plain words. */
export function ScopeChoice({
  description,
  error,
  ...field
}: {
  readonly description: ReactNode;
  readonly value?: string[];
  readonly onChange?: (value: string[]) => void;
  readonly error?: ReactNode;
}) {
  const query = useScopes();
  return (
    <Checkbox.Group
      label="Permissions"
      description={description}
      required
      error={error}
      data-faulty={error === undefined || error === null ? undefined : true}
      {...field}
    >
      <Stack gap="sm" mt="xs" mb={4}>
        <Loaded query={query} loading={<LoadingRows rows={4} height={40} />}>
          {(scopes) =>
            scopes.map(({ scope, words }) => (
              <Checkbox key={scope} value={scope} label={words} description={<Code fz="xs">{scope}</Code>} />
            ))
          }
        </Loaded>
      </Stack>
    </Checkbox.Group>
  );
}

/** What a state means for the reader. Said by colour and by shape. */
export type Tone = 'good' | 'bad' | 'warning' | 'waiting' | 'neutral';

const looks: Readonly<Record<Tone, { readonly color: string; readonly icon: TablerIcon }>> = {
  good: { color: 'green', icon: IconCircleCheck },
  bad: { color: 'red', icon: IconCircleX },
  warning: { color: 'yellow', icon: IconAlertTriangle },
  waiting: { color: 'gray', icon: IconClock },
  neutral: { color: 'gray', icon: IconInfoCircle },
};

/** A state in a word: Active, Expired, Verified. */
export function StatusBadge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  const { color, icon: Icon } = looks[tone];
  return (
    <Badge
      color={color}
      variant="light"
      radius="sm"
      tt="none"
      miw="max-content"
      leftSection={<Icon size={12} aria-hidden />}
    >
      {children}
    </Badge>
  );
}
