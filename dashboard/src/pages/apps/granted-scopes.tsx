import { Code, Group, Text } from '@mantine/core';
import type { Connection } from './applications.ts';

/** What a business approved; what was never used says so. */
export function GrantedScopes({ scopes, scopesUsed }: Pick<Connection, 'scopes' | 'scopesUsed'>) {
  return (
    <Group gap={6}>
      {scopes.map((scope) => (
        <span key={scope}>
          <Code fz="xs">{scope}</Code>
          {!scopesUsed.includes(scope) && (
            <Text span size="xs" c="dimmed">
              {' '}
              not used
            </Text>
          )}
        </span>
      ))}
    </Group>
  );
}
