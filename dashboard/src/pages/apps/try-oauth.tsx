import { Anchor, Button, Code, Group, Select, Stack, Text } from '@mantine/core';
import { IconExternalLink, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useGoneScopes } from '../../api/session.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { Panel } from '../../components/panel.tsx';
import { LoadingRows } from '../../components/states.tsx';
import type { Application } from './api.ts';
import { authorizationUrl, createPkceValues, type PkceValues, tokenCommand } from './oauth-commands.ts';

/** The OAuth flow by hand: an authorization URL and a token command. */
export function TryOAuthPanel({ application }: { readonly application: Application }) {
  const { data: values, refetch } = useQuery({
    queryKey: ['flow-values', application.id],
    queryFn: async () => (await createPkceValues()) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const pkce = values ?? undefined;
  return (
    <Panel
      title="Try the OAuth flow"
      description="Two steps by hand, with values generated in this browser for one attempt. Your server generates new values for every request."
      actions={
        pkce && (
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
        <Steps application={application} pkce={pkce} />
      )}
    </Panel>
  );
}

function Steps({
  application,
  pkce,
}: {
  readonly application: Application;
  /** Placeholders are shown without them. */
  readonly pkce: PkceValues | undefined;
}) {
  const { redirectUris, clientId } = application;
  const gone = useGoneScopes(application.scopes);
  const scopes = application.scopes.filter((scope) => !gone.includes(scope));
  const [chosen, setChosen] = useState<string | null>(null);
  const redirectUri = redirectUris.find((uri) => uri === chosen) ?? redirectUris[0] ?? '';
  const { origin } = location;
  const url = authorizationUrl(origin, { clientId, scopes }, redirectUri, pkce);
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
          <strong>1.</strong> Open this URL as an owner of a verified business and approve. Your redirect URI
          receives a <Code>code</Code> that works once, within ten minutes. Your app did not send this{' '}
          <Code>state</Code> and should reject it: copy the code from the address bar.
        </Text>
        <CodeBlock code={url} what="the authorization URL" wraps />
      </div>
      <div>
        <Text size="sm" mb={6}>
          <strong>2.</strong> Insert the code and the client secret, and run this from an address on the IP
          whitelist.
        </Text>
        <CodeBlock code={tokenCommand(origin, application, pkce)} what="the command" />
      </div>
      <Group gap="md">
        <Anchor href="/docs/oauth" target="_blank" rel="noopener" size="sm">
          <Group component="span" gap={4}>
            Read about the OAuth flow in the docs
            <IconExternalLink size={14} aria-hidden />
          </Group>
        </Anchor>
      </Group>
    </Stack>
  );
}
