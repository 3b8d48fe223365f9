import { Anchor, List, Stack } from '@mantine/core';
import { Link, Redirect } from 'wouter';
import { Panel } from '../../components/panel.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { EndPanel } from './end-panel.tsx';
import { OrdersPanel } from './orders-panel.tsx';

const steps = [
  { href: '/settings/developers/keys/new', label: 'Create an API key', text: 'and send a first request.' },
  {
    href: '/settings/developers/apps/new',
    label: 'Register an app',
    text: 'and connect it to this sandbox or another of yours.',
  },
  {
    href: '/settings/developers/webhooks',
    label: 'Add a webhook endpoint',
    text: 'and see events of invented orders arrive.',
  },
] as const;

/** Page of a sandbox: what to try, invented orders, its end. */
export default function SandboxPage() {
  const { id, isSandbox } = useBusiness();
  // After a switch to another business, which keeps the section.
  if (!isSandbox) return <Redirect to={`~/dashboard/${id}`} replace />;
  return (
    <>
      <PageHeader
        title="Sandbox"
        description="Everything works as in a real business, within the same limits. Responses carry X-Sandbox: true."
      />
      <Stack gap="lg">
        <Panel title="What to try">
          <List spacing="xs">
            {steps.map(({ href, label, text }) => (
              <List.Item key={href}>
                <Anchor component={Link} href={href} underline="always">
                  {label}
                </Anchor>{' '}
                {text}
              </List.Item>
            ))}
          </List>
        </Panel>
        <OrdersPanel />
        <EndPanel />
      </Stack>
    </>
  );
}
