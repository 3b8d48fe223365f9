import { Checkbox, Code, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useGoneScopes, useScopes } from '../api/session.ts';
import { Row, Rows } from './rows.tsx';
import { Loaded, LoadingRows } from './states.tsx';
import { StatusBadge } from './status-badge.tsx';

/** Of a permission or a type of event that is kept, and opens nothing. */
export const gone = 'Not part of the API now';

/** Permissions with their descriptions and a status each. */
export function ScopeList({
  label,
  scopes,
}: {
  readonly label: string;
  readonly scopes: readonly { readonly scope: string; readonly status: ReactNode }[];
}) {
  const { data = [] } = useScopes();
  const goneScopes = useGoneScopes(scopes.map(({ scope }) => scope));
  return (
    <Rows label={label} isStacked>
      {scopes.map(({ scope, status }) => (
        <Row
          key={scope}
          end={goneScopes.includes(scope) ? <StatusBadge tone="warning">{gone}</StatusBadge> : status}
        >
          <Text size="sm">{data.find((known) => known.scope === scope)?.words ?? scope}</Text>
          <Code fz="xs">{scope}</Code>
        </Row>
      ))}
    </Rows>
  );
}

/** Form field that selects permissions. Those that the API has no longer can be kept. */
export function ScopeField({
  description,
  error,
  allowed,
  isRequired = true,
  ...field
}: {
  readonly description: ReactNode;
  /** Scopes that can be added; all where absent. Others can only be removed. */
  readonly allowed?: readonly string[] | undefined;
  readonly isRequired?: boolean;
  readonly value?: string[];
  readonly onChange?: (value: string[]) => void;
  readonly error?: ReactNode;
}) {
  const query = useScopes();
  const [held] = useState(field.value ?? []);
  const goneScopes = useGoneScopes(held);
  return (
    <Checkbox.Group
      label="Permissions"
      description={
        allowed === undefined ? description : <>{description} Owners decide which ones developers can add.</>
      }
      required={isRequired}
      error={error}
      data-invalid={error === undefined || error === null ? undefined : true}
      {...field}
    >
      <Stack gap="sm" mt="xs" mb={4}>
        <Loaded query={query} loading={<LoadingRows rows={4} height={40} />}>
          {(scopes) =>
            [
              ...scopes,
              ...goneScopes.map((scope) => ({ scope, words: `${scope} is not part of the API now` })),
            ].map(({ scope, words }) => (
              <Checkbox
                key={scope}
                value={scope}
                label={words}
                description={<Code fz="xs">{scope}</Code>}
                disabled={
                  allowed !== undefined && !allowed.includes(scope) && field.value?.includes(scope) !== true
                }
              />
            ))
          }
        </Loaded>
      </Stack>
    </Checkbox.Group>
  );
}
