import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { CodeBlock } from '../../parts/code-block.tsx';
import { curlWith } from '../../parts/curl-with.ts';
import { Panel } from '../../parts/panel.tsx';

/** In the place of the traffic of a business that has none yet: how to make some. */
export function FirstCall({ hasKey }: { readonly hasKey: boolean }) {
  return (
    <Panel
      title="Nothing has called yet"
      description="Requests, errors and limits show up here a few seconds after your first call."
    >
      <Stack gap="sm">
        <Text size="sm">
          {hasKey
            ? 'Paste this into a terminal, with your key in it:'
            : 'Create a key, then paste this into a terminal, with the key in it:'}
        </Text>
        <CodeBlock code={curlWith('YOUR_KEY')} what="the command" />
        <Group gap="sm">
          {!hasKey && (
            <Button component={Link} href="/developers/keys/new">
              Create a key
            </Button>
          )}
          <Text size="sm">
            <Anchor href="/docs/first-call" target="_blank" rel="noopener">
              First call, step by step
            </Anchor>
          </Text>
        </Group>
      </Stack>
    </Panel>
  );
}
