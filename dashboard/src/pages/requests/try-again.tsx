import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorAlert } from '../../components/states.tsx';
import { HttpStatusBadge } from '../../components/status-badge.tsx';
import type { ApiRequestDetail } from './requests.ts';

/** Whether a request can be sent once more: it changes nothing, and its whole path was recorded. */
export function isRepeatable({ method, path }: Pick<ApiRequestDetail, 'method' | 'path'>): boolean {
  return method === 'GET' && /^\/v2\/[\w./-]{1,190}$/.test(path);
}

interface Sent {
  /** X-Request-Id of the response. */
  readonly id: string;
  readonly status: number;
}

/** Sends a request to the public API as a program would: with the key alone, and without the session. */
async function send(path: string, key: string): Promise<Sent> {
  const response = await fetch(path, {
    headers: { Authorization: `Bearer ${key}` },
    credentials: 'omit',
    cache: 'no-store',
  }).catch(() => {
    throw new ApiError(0, 'No response from the server. Check the key and your connection.', {});
  });
  await response.body?.cancel();
  return { id: response.headers.get('X-Request-Id') ?? '', status: response.status };
}

/** Sends a GET once more with a key that the person pastes. The key stays in this page, and goes with it. */
export function TryAgain({
  request: { path },
  isRecorded,
  onSent,
}: {
  readonly request: Pick<ApiRequestDetail, 'path'>;
  /** Whether what was sent is shown. */
  readonly isRecorded: boolean;
  readonly onSent: (requestId: string) => void;
}) {
  const [key, setKey] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => send(path, key.trim()),
    onSuccess: ({ id }) => onSent(id),
    gcTime: 0,
  });
  return (
    <Panel
      title="Try again"
      description="Sends GET to the same path, without its query, which is not stored. It counts like any request of the key."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Group gap="sm" align="flex-end">
          <TextInput
            type="password"
            label="API key or access token"
            description="Sent to this API alone, stored nowhere."
            flex="1 1 14rem"
            required
            autoComplete="off"
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={isPending}>
            Send
          </Button>
        </Group>
      </form>
      <ErrorAlert error={error} />
      {data !== undefined && <Result sent={data} isRecorded={isRecorded} />}
    </Panel>
  );
}

function Result({ sent: { id, status }, isRecorded }: { readonly sent: Sent; readonly isRecorded: boolean }) {
  return (
    <Stack gap={4} role="status">
      <Group gap="sm">
        <HttpStatusBadge status={status} />
        <Anchor component={Link} href={`/settings/developers/requests/${id}`} size="sm">
          Open the new request
        </Anchor>
      </Group>
      <Text size="sm" c="dimmed">
        {isRecorded
          ? 'This page shows the new request now.'
          : 'It is shown here in a few seconds. With a key of another business it is recorded there.'}
      </Text>
    </Stack>
  );
}
