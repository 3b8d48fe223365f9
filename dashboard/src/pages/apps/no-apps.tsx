import { Anchor, Button } from '@mantine/core';
import { IconApps } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';

/** For a business without an app: what an app is, and how to begin. */
export function NoApps({ mayRegister }: { readonly mayRegister: boolean }) {
  return (
    <EmptyState
      icon={IconApps}
      title="No apps yet"
      action={
        mayRegister && (
          <Button component={Link} href="/developers/apps/new">
            Register your first app
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
      <Anchor href="/docs/oauth" target="_blank">
        How connecting works
      </Anchor>
    </EmptyState>
  );
}
