import { Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Surface } from '../../parts/surface.tsx';
import { keyTypes } from './key-types.ts';

/** For a business without a key: what keys are, and which there are. */
export function NoKeys() {
  return (
    <Stack gap="lg">
      <EmptyState
        icon={IconKey}
        title="No API keys yet"
        action={
          <Button component={Link} href="/developers/keys/new">
            Create your first key
          </Button>
        }
      >
        A key lets a program of yours use the API in the name of your business. Give each program its own.
      </EmptyState>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {keyTypes.map(({ type, label, short, explanation }) => (
          <Surface key={type}>
            <Text fw={600}>{label}</Text>
            <Text size="sm" mt={4}>
              {short}
            </Text>
            <Text size="sm" c="dimmed" mt={4}>
              {explanation}
            </Text>
          </Surface>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
