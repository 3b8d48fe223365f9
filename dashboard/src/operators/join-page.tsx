import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'wouter';
import { unwrap } from '../api/client.ts';
import { useSessionQuery } from '../api/session.ts';
import { Surface } from '../components/panel.tsx';
import { ErrorAlert } from '../components/states.tsx';
import { toast } from '../components/toast.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { operatorsApi, useRefresh } from './api.ts';

/** Accepts an invitation to the console. */
export default function JoinPage() {
  const [parameters] = useSearchParams();
  const [, navigate] = useLocation();
  const refresh = useRefresh();
  const { data: session } = useSessionQuery();
  const token = parameters.get('token') ?? '';
  const joining = useMutation({
    mutationFn: () => unwrap(operatorsApi.POST('/join', { body: { token } })),
    onSuccess: async () => {
      await refresh();
      toast('You are an operator.');
      navigate('/');
    },
  });
  return (
    <>
      <PageHeader title="Become an operator" />
      <Surface component="section" aria-label="Invitation">
        <Stack gap="md" align="flex-start">
          <Text>
            Operators see every business, decide verifications and limits, and can freeze, ban and suspend.
            Everything they do and search for stays in the log.
          </Text>
          <Text size="sm" c="dimmed">
            {session?.person.secondFactor === true ? (
              'You need to be logged in with your second factor.'
            ) : (
              <>
                You need a second factor: turn it on in your <a href="/dashboard/profile">profile</a>, then
                log in with it.
              </>
            )}
          </Text>
          <ErrorAlert error={joining.error} />
          <Button loading={joining.isPending} onClick={() => joining.mutate()}>
            Accept the invitation
          </Button>
        </Stack>
      </Surface>
    </>
  );
}
