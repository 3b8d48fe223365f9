import { Anchor, Button, Text } from '@mantine/core';
import { IconApps } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import type { RegistrationObstacle } from './applications.ts';

/** For a business without an app: what an app is, and how to begin. */
export function NoApps({ obstacle }: { readonly obstacle: RegistrationObstacle | null }) {
  return (
    <EmptyState
      icon={IconApps}
      title="No apps yet"
      action={
        obstacle === null ? (
          <Button component={Link} href="/developers/apps/new">
            Register your first app
          </Button>
        ) : (
          <Button component={Link} href="/settings/business" variant="default">
            Go to verification
          </Button>
        )
      }
    >
      An app is your software acting for other businesses: each of them connects it with a click and decides
      what it may do. For your own business alone,{' '}
      <Anchor component={Link} href="/developers/keys" inherit>
        an API key
      </Anchor>{' '}
      is enough.{' '}
      <Anchor href="/docs/oauth" target="_blank" rel="noopener" inherit>
        How connecting works
      </Anchor>
      {obstacle !== null && (
        <Text span inherit c="var(--mantine-color-text)" display="block" mt="sm">
          {obstacle.text} Once it is verified, you can register apps here.
        </Text>
      )}
    </EmptyState>
  );
}
