import { Anchor, Badge, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Surface } from '../../parts/surface.tsx';
import type { Application } from './applications.ts';
import classes from './apps.module.css';
import { ConnectedCount } from './connected-count.tsx';

/** An app in the list. */
export function AppCard({ application }: { readonly application: Application }) {
  const { id, name, description, scopes, secrets, createdAt } = application;
  const lastUse = secrets
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .sort()
    .at(-1);
  return (
    <Surface component="li" className={classes.card}>
      <div>
        <Anchor
          component={Link}
          href={`/developers/apps/${id}`}
          className={classes.open ?? ''}
          fw={600}
          c="var(--mantine-color-text)"
          lineClamp={2}
        >
          {name}
        </Anchor>
        <Text size="sm" c="dimmed" mt={2} lineClamp={2}>
          {description}
        </Text>
      </div>
      <Group gap={6}>
        {scopes.map((scope) => (
          <Badge key={scope} variant="light" color="gray" tt="none" fw={500} radius="sm" ff="monospace">
            {scope}
          </Badge>
        ))}
      </Group>
      <Facts
        facts={[
          ['Connected businesses', <ConnectedCount key="connected" application={application} />],
          ['Last token request', <Moment key="request" at={lastUse} absent="Never" />],
          ['Registered', <Moment key="registered" at={createdAt} format="date" />],
        ]}
      />
    </Surface>
  );
}
