import { Code, Group, Text } from '@mantine/core';
import type { Connection } from './applications.ts';

/** What a business approved, and what of it was never used though other permissions were. */
export function GrantedScopes({ connection }: { readonly connection: Connection }) {
  const { scopes, scopesUsed } = connection;
  const unused = scopes.filter((scope) => !scopesUsed.includes(scope));
  return (
    <>
      <Group gap={6}>
        {scopes.map((scope) => (
          <Code key={scope} fz="xs">
            {scope}
          </Code>
        ))}
      </Group>
      {unused.length > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {unused.length === scopes.length ? 'None of it was used yet' : `Not used yet: ${unused.join(', ')}`}
        </Text>
      )}
    </>
  );
}
