import { Anchor, Button, Code, Group, Select, Stack, Text } from '@mantine/core';
import { IconExternalLink, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CodeBlock } from '../../components/copy.tsx';
import { Panel } from '../../components/panel.tsx';
import { LoadingRows } from '../../components/states.tsx';
import type { Application } from './api.ts';
import { authorizationUrl, createPkceValues, type PkceValues, tokenCommand } from './oauth-commands.ts';

/** The two steps of connecting, ready to be tried by hand. */
export function TryOAuthPanel({ application }: { readonly application: Application }) {
  const { data: values, refetch } = useQuery({
    queryKey: ['flow-values', application.id],
    queryFn: async () => (await createPkceValues()) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const given = values ?? undefined;
  return (
    <Panel
      title="Try connecting"
      description="Two steps by hand, with values that were made in this browser for one attempt. Your server makes new ones for every request."
      actions={
        given && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => void refetch()}
          >
            New values
          </Button>
        )
      }
    >
      {values === undefined ? (
        <LoadingRows rows={2} height={120} />
      ) : (
        <Steps application={application} given={given} />
      )}
    </Panel>
  );
}

function Steps({
  application,
  given,
}: {
  readonly application: Application;
  /** Without them, places are left for values that are made elsewhere. */
  readonly given: PkceValues | undefined;
}) {
  const { redirectUris } = application;
  const [chosen, setChosen] = useState<string | null>(null);
  const redirectUri = redirectUris.find((uri) => uri === chosen) ?? redirectUris[0] ?? '';
  const { origin } = location;
  const url = authorizationUrl(origin, application, redirectUri, given);
  return (
    <Stack gap="md">
      {redirectUris.length > 1 && (
        <Select
          label="Redirect URI"
          data={[...redirectUris]}
          value={redirectUri}
          onChange={setChosen}
          allowDeselect={false}
          maw="30rem"
        />
      )}
      <div>
        <Text size="sm" mb={6}>
          <strong>1.</strong> Open this as an owner of a verified business, and approve. Your redirect URI
          then receives a <Code>code</Code>, which works once, for ten minutes. Your app has not sent this{' '}
          <Code>state</Code> and should leave it alone: copy the code from the address bar.
        </Text>
        <CodeBlock code={url} what="the authorization URL" wraps />
      </div>
      <div>
        <Text size="sm" mb={6}>
          <strong>2.</strong> Put code and client secret in their places, and exchange them from an address on
          the whitelist.
        </Text>
        <CodeBlock code={tokenCommand(origin, application, given)} what="the command" />
      </div>
      <Group gap="md">
        <Anchor href="/docs/oauth" target="_blank" rel="noopener" size="sm">
          <Group component="span" gap={4}>
            Read the whole flow in the docs
            <IconExternalLink size={14} aria-hidden />
          </Group>
        </Anchor>
      </Group>
    </Stack>
  );
}
