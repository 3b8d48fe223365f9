import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Timestamp } from '../../components/timestamp.tsx';
import { useMayChange } from '../../shell/session-context.ts';
import { type EndpointActionProps, useSwitch } from './endpoint-menu.tsx';
import { type EndpointAlert as Alerted, alertOf } from './health.ts';

/** Warns of an endpoint that has failed for an hour, or was disabled because of failures, with what to do. */
export function EndpointAlert({ endpoint, applicationId, open }: EndpointActionProps) {
  const { flip, isPending } = useSwitch({ endpoint, applicationId, open });
  const mayChange = useMayChange();
  const alert = alertOf(endpoint, Date.now());
  if (alert === undefined) return null;
  const isDisabled = alert.kind === 'disabled';
  return (
    <Alert
      color={isDisabled ? 'red' : 'yellow'}
      icon={<IconAlertTriangle />}
      title={isDisabled ? 'Endpoint disabled' : 'Endpoint failing'}
      role="group"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          <Code>{endpoint.url}</Code> <AlertText alert={alert} />
        </Text>
        {mayChange && (
          <Group gap="sm">
            {isDisabled ? (
              <Button size="xs" loading={isPending} onClick={flip}>
                Enable
              </Button>
            ) : (
              <Button size="xs" variant="default" onClick={() => open({ endpoint, name: 'test' })}>
                Send a test event
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

function AlertText({ alert }: { readonly alert: Alerted }) {
  if (alert.kind === 'failing') {
    return (
      <>
        has refused or missed every delivery since <Timestamp at={alert.since} format="exact" />. Open a
        delivery below to see the responses. Deliveries are repeated; if they keep failing until{' '}
        <Timestamp at={alert.disabledAt} format="exact" />, the endpoint is disabled.
      </>
    );
  }
  const reason = alert.reason === 'gone' ? 'after it responded with 410 Gone' : 'after five days of failures';
  return (
    <>
      was disabled on <Timestamp at={alert.at} format="exact" />, {reason}. Nothing is sent to it. Enable it
      once your server works again, then recover what it has missed.
    </>
  );
}
