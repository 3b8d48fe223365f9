import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { ApiRequestDetail } from './requests.ts';

type Remedy = NonNullable<ApiRequestDetail['remedy']>;

const places: Readonly<Record<Remedy['page'], { readonly label: string; path(id: string): string }>> = {
  api_key: { label: 'Open the key', path: (id) => `/developers/keys/${id}` },
  api_keys: { label: 'Open your keys', path: () => '/developers/keys' },
  application: { label: 'Open the app', path: (id) => `/developers/apps/${id}` },
  connected: { label: 'Open connected apps', path: () => '/connected' },
  business: { label: 'Open the business settings', path: () => '/settings/business' },
};

/** What went wrong, and what to do about it. */
export function RequestRemedy({ request }: { readonly request: ApiRequestDetail }) {
  const { problem, advice, help, remedy, status } = request;
  return (
    <Alert
      color={status >= 500 ? 'red' : 'yellow'}
      icon={<IconAlertTriangle />}
      title={problem}
      role="region"
      aria-label="What went wrong"
    >
      <Stack gap="md" align="flex-start">
        <Text size="sm">{advice}</Text>
        <Group gap="md">
          {remedy !== null && <RemedyLink remedy={remedy} />}
          <Anchor href={help} target="_blank" rel="noopener" size="sm" underline="always">
            About this error
          </Anchor>
        </Group>
      </Stack>
    </Alert>
  );
}

function RemedyLink({ remedy: { page, id } }: { readonly remedy: Remedy }) {
  const { label, path } = places[page];
  return (
    <Button component={Link} href={path(id ?? '')} size="xs">
      {label}
    </Button>
  );
}
