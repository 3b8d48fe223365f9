import { Checkbox, Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScopes } from '../api/session.ts';
import { Row, Rows } from './rows.tsx';
import { Loaded, LoadingRows } from './states.tsx';

/** Permissions with their descriptions and a status each. */
export function ScopeList({
  label,
  scopes,
}: {
  readonly label: string;
  readonly scopes: readonly { readonly scope: string; readonly status: ReactNode }[];
}) {
  const { data = [] } = useScopes();
  return (
    <Rows label={label} isStacked>
      {scopes.map(({ scope, status }) => (
        <Row key={scope} end={status}>
          <Text size="sm">{data.find((known) => known.scope === scope)?.words ?? scope}</Text>
          <Code fz="xs">{scope}</Code>
        </Row>
      ))}
    </Rows>
  );
}

/** Form field that selects permissions. */
export function ScopeField({
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
      data-invalid={error === undefined || error === null ? undefined : true}
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
