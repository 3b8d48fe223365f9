import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { toast, toastError } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { useEndpointCalls, useWebhookChange } from './api.ts';
import type { EndpointActionProps } from './endpoint-menu.tsx';

/** Shows which events are withheld because the maker of the endpoint may not receive them. An owner can take it over. */
export function WithheldAlert({ endpoint, applicationId, open }: EndpointActionProps) {
  const { role } = useBusiness();
  const calls = useEndpointCalls({ applicationId });
  const taking = useWebhookChange(() => calls.update(endpoint.id, { events: endpoint.events }));
  const { withheld, maker, url } = endpoint;
  if (withheld.length === 0) return null;
  const takeOver = () =>
    taking.mutate(undefined, {
      onSuccess: () => {
        toast('The endpoint is yours now.');
        open({ endpoint, name: 'recover' });
      },
      onError: toastError,
    });
  return (
    <Alert color="yellow" icon={<IconHandStop />} title="Events withheld" role="group">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          <Code>{url}</Code> was set up by {maker?.name ?? 'a person whose account was deleted'}, who may not
          receive {withheld.join(', ')}. These events are kept for 30 days.
        </Text>
        {role === 'owner' && (
          <Button size="xs" variant="default" loading={taking.isPending} onClick={takeOver}>
            Take over
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
