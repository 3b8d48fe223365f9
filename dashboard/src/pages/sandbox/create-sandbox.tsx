import { Button, Stack, Text } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { sessionKey } from '../../api/queries.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorAlert } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { useSession } from '../../shell/session-context.ts';

/** Creates a sandbox with one press and opens it. Nothing where sandboxes are switched off. */
export function CreateSandboxPanel() {
  const { maySandbox } = useSession();
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const creation = useMutation({
    mutationFn: () => unwrap(api.POST('/sandboxes')),
    onSuccess: async ({ businessId }) => {
      await client.invalidateQueries({ queryKey: sessionKey });
      toast('Sandbox created.');
      // After the reloaded session, with the sandbox, has rendered.
      notifyManager.schedule(() => navigate(`~/dashboard/${businessId}/sandbox`));
    },
  });
  if (!maySandbox) return null;
  return (
    <Panel
      title="Just trying?"
      description="A sandbox is a business for tests. It is verified at once, so you can register apps and connect them today."
    >
      <Stack gap="md" align="flex-start">
        <Text size="sm">
          It has its own keys, apps, webhooks and orders, and invented orders at the press of a button. It
          reaches no real business.
        </Text>
        <ErrorAlert error={creation.error} />
        <Button
          leftSection={<IconFlask size={18} aria-hidden />}
          loading={creation.isPending}
          onClick={() => creation.mutate()}
        >
          Create a sandbox
        </Button>
      </Stack>
    </Panel>
  );
}
