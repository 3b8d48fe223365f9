import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { ChangeDialog } from '../../components/change-dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorAlert, Loaded, LoadingRows } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { ViewerNote } from '../../components/viewer-note.tsx';
import { useBusiness, useMayChange } from '../../shell/session-context.ts';
import { useSandbox } from './sandbox.ts';

const path = '/businesses/{businessId}/sandbox/orders';

const added = { at_once: '50 orders added.', minutely: 'The first order comes in a few seconds.' } as const;

/** Invented orders: adds some, lets some come, deletes all. */
export function OrdersPanel() {
  const query = useSandbox();
  const mayChange = useMayChange();
  return (
    <Panel
      title="Invented orders"
      description="They change and cause events as real orders do. Their metadata says that they are invented."
    >
      <Loaded query={query} loading={<LoadingRows rows={1} />}>
        {({ ordersDue }) => (
          <Stack gap="md">
            {ordersDue > 0 && (
              <Alert color="accent" icon={<IconClock />} role="status">
                {pluralize(ordersDue, 'more order')} to come, one a minute.
              </Alert>
            )}
            {mayChange ? (
              <OrderButtons isComing={ordersDue > 0} />
            ) : (
              <ViewerNote>add or delete orders</ViewerNote>
            )}
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

function OrderButtons({ isComing }: { readonly isComing: boolean }) {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const params = { path: { businessId } };
  const refresh = () => client.invalidateQueries({ queryKey: businessKey(businessId) });
  const [isResetting, setResetting] = useState(false);
  const addition = useMutation({
    mutationFn: (pace: keyof typeof added) => unwrap(api.POST(path, { params, body: { pace } })),
    onSuccess: async (_, pace) => {
      await refresh();
      toast(added[pace]);
    },
  });
  const isAdding = (pace: keyof typeof added) => addition.isPending && addition.variables === pace;
  return (
    <>
      <ErrorAlert error={addition.error} />
      <Group gap="sm">
        <Button
          loading={isAdding('at_once')}
          disabled={addition.isPending}
          onClick={() => addition.mutate('at_once')}
        >
          Add 50 orders in all states
        </Button>
        <Button
          variant="default"
          loading={isAdding('minutely')}
          disabled={addition.isPending || isComing}
          onClick={() => addition.mutate('minutely')}
        >
          Ten orders, one a minute
        </Button>
        <Button variant="light" color="red" disabled={addition.isPending} onClick={() => setResetting(true)}>
          Delete all orders
        </Button>
      </Group>
      <ChangeDialog
        title="Delete all orders?"
        action="Delete all orders"
        destructive
        opened={isResetting}
        onClose={() => setResetting(false)}
        change={async () => {
          await unwrap(api.DELETE(path, { params }));
          await refresh();
          toast('All orders deleted.');
          return undefined;
        }}
      >
        <Text size="sm">
          Every order of this sandbox is deleted, including those that your program created. Events stay in
          the feed, and order numbers go on.
        </Text>
      </ChangeDialog>
    </>
  );
}
