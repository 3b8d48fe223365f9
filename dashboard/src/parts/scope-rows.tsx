import { Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScopes } from '../api/scopes.ts';
import { Row, Rows } from './rows.tsx';

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
