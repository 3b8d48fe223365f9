import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useMayChange } from '../../shell/session-context.ts';
import { AllowAddress } from './allow-address.tsx';
import type { ApiRequestDetail } from './requests.ts';

type Remedy = NonNullable<ApiRequestDetail['remedy']>;

const remedyLinks: Readonly<Record<Remedy['page'], { readonly label: string; path(id: string): string }>> = {
  api_key: { label: 'Open the key', path: (id) => `/settings/developers/keys/${id}` },
  api_keys: { label: 'Open your keys', path: () => '/settings/developers/keys' },
  application: { label: 'Open the app', path: (id) => `/settings/developers/apps/${id}` },
  connected: { label: 'Open connected apps', path: () => '/connected' },
  business: { label: 'Open the business settings', path: () => '/settings/business' },
};

/** Why the request was refused or failed, and how to fix it. */
export function RequestRemedy({
  request: { remedy, status, missingAddress },
  explanation: { problem, advice, help },
}: {
  readonly request: ApiRequestDetail;
  readonly explanation: NonNullable<ApiRequestDetail['explanation']>;
}) {
  const mayChange = useMayChange();
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
          {missingAddress !== null && mayChange && <AllowAddress missing={missingAddress} />}
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
  const { label, path } = remedyLinks[page];
  return (
    <Button component={Link} href={path(id ?? '')} size="xs">
      {label}
    </Button>
  );
}
