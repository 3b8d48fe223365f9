import { Code, List, Text } from '@mantine/core';
import { useScopes } from '../api/scopes.ts';

/** What a credential may do: each scope with its plain words. */
export function ScopeList({
  scopes,
  everything = 'Everything: this credential has no restriction.',
}: {
  /** Null where there is no restriction. */
  readonly scopes: readonly string[] | null;
  /** What is said then. */
  readonly everything?: string;
}) {
  const { data = [] } = useScopes();
  if (scopes === null) return <Text size="sm">{everything}</Text>;
  return (
    <List listStyleType="none" spacing={6} size="sm">
      {scopes.map((scope) => (
        <List.Item key={scope}>
          <Code>{scope}</Code>{' '}
          <Text span inherit c="dimmed">
            {data.find((known) => known.scope === scope)?.words}
          </Text>
        </List.Item>
      ))}
    </List>
  );
}
