import { Alert, Button, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { useForgetBusiness } from '../../api/session.ts';
import { TypeToConfirmDialog } from '../../components/dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { useSandbox } from './sandbox.ts';

/** When the sandbox ends by itself, and for owners the way to end it now. */
export function EndPanel() {
  const { id: businessId, name, role } = useBusiness();
  const { data } = useSandbox();
  const forget = useForgetBusiness();
  const [isConfirming, setConfirming] = useState(false);
  const end = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE('/businesses/{businessId}/sandbox', { params: { path: { businessId } } })),
    onSuccess: () => {
      forget(businessId);
      toast(`${name} has ended.`);
    },
  });
  return (
    <Panel
      title="End"
      description="A sandbox ends by itself 90 days after its last request. Its owners get an email 14 days before."
      actions={
        role === 'owner' && (
          <Button color="red" variant="light" onClick={() => setConfirming(true)}>
            End this sandbox
          </Button>
        )
      }
    >
      {data !== undefined && data.endsAt !== null && (
        <Alert color="yellow" icon={<IconAlertTriangle />} role="status">
          No API request has come for weeks: this sandbox ends on <Timestamp at={data.endsAt} format="date" />
          . Any API request keeps it.
        </Alert>
      )}
      <TypeToConfirmDialog
        name={name}
        title={`End ${name}?`}
        action="End this sandbox"
        opened={isConfirming}
        onClose={() => {
          end.reset();
          setConfirming(false);
        }}
        mutation={end}
        onConfirm={() => end.mutate()}
      >
        <Text size="sm">
          Its keys, apps, connections, webhook endpoints and orders are deleted, and its team loses access.
          This cannot be undone.
        </Text>
      </TypeToConfirmDialog>
    </Panel>
  );
}
