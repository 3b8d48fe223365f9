import { Alert, Button, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { TypeToConfirmDialog } from '../../components/dialog.tsx';
import { formatNumber, pluralize } from '../../components/format.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast, toastPropagation } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type ApiKey, useRefreshKeyList } from './api.ts';
import { deletedText, maxDeleted, namedKeys, usedLately } from './deletion.ts';
import { keyHint } from './form-values.ts';
import classes from './keys.module.css';

/** Bar below the list while keys are selected, with the button that deletes them. */
export function SelectionBar({
  keys,
  onClear,
}: {
  readonly keys: readonly ApiKey[];
  /** Selects none, and returns the focus to the list. */
  readonly onClear: () => void;
}) {
  const [opened, setOpened] = useState(false);
  const refresh = useRefreshKeyList();
  const isTooMany = keys.length > maxDeleted;
  return (
    <>
      {keys.length > 0 && (
        <section className={classes.bar} aria-label="Selected keys">
          <Text size="sm" fw={600} flex={1} miw="max-content">
            {pluralize(keys.length, 'key')} selected
          </Text>
          {isTooMany && (
            <Text size="sm" c="dimmed">
              You can delete {maxDeleted} at a time.
            </Text>
          )}
          <Button variant="default" px="sm" aria-label="Clear selection" onClick={onClear}>
            Clear
          </Button>
          <Button
            color="red"
            px="sm"
            disabled={isTooMany}
            onClick={() => {
              // Shows the last uses as they are now.
              void refresh();
              setOpened(true);
            }}
          >
            Delete
          </Button>
        </section>
      )}
      <DeleteKeysDialog
        keys={keys}
        opened={opened && keys.length > 0}
        onClose={() => setOpened(false)}
        onDeleted={onClear}
      />
    </>
  );
}

/** Deletes keys after naming them. */
function DeleteKeysDialog({
  keys,
  opened,
  onClose,
  onDeleted,
}: {
  readonly keys: readonly ApiKey[];
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}) {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const refresh = useRefreshKeyList();
  const deletion = useMutation({
    mutationFn: (apiKeyIds: string[]) =>
      unwrap(
        api.DELETE('/businesses/{businessId}/api-keys', {
          params: { path: { businessId } },
          body: { apiKeyIds },
        }),
      ),
    onSuccess: ({ deletedIds, propagation }, apiKeyIds) => {
      onClose();
      onDeleted();
      for (const id of apiKeyIds) client.removeQueries({ queryKey: businessKey(businessId, 'api-keys', id) });
      void refresh();
      toast(deletedText(deletedIds.length, apiKeyIds.length));
      toastPropagation(propagation);
    },
  });
  const count = pluralize(keys.length, 'key');
  return (
    <TypeToConfirmDialog
      name={count}
      title={`Delete ${pluralize(keys.length, 'API key')}?`}
      action={`Delete ${count}`}
      opened={opened}
      onClose={() => {
        onClose();
        deletion.reset();
      }}
      mutation={deletion}
      onConfirm={() => deletion.mutate(keys.map(({ id }) => id))}
    >
      <KeyNames keys={keys} />
      <Text size="sm">
        {keys.some(({ status }) => status === 'active') && (
          <>
            <strong>Keys stop working at once.</strong> Programs that still use them are refused.{' '}
          </>
        )}
        This cannot be undone.
      </Text>
    </TypeToConfirmDialog>
  );
}

function KeyNames({ keys }: { readonly keys: readonly ApiKey[] }) {
  const now = Date.now();
  const { named, more } = namedKeys(keys, now);
  const used = keys.filter((key) => usedLately(key, now)).length;
  return (
    <>
      {used > 0 && (
        <Alert color="yellow" p="sm" icon={<IconAlertTriangle />}>
          {used === keys.length
            ? pluralize(used, 'key')
            : `${formatNumber(used)} of ${formatNumber(keys.length)} keys`}{' '}
          {used === 1 ? 'was' : 'were'} used in the last 24 hours.
        </Alert>
      )}
      <List size="sm" listStyleType="none" spacing={4} aria-label="Keys to delete">
        {named.map((key) => (
          <List.Item key={key.id}>
            <strong>{key.name}</strong> <span className={classes.mono}>{keyHint(key)}</span>
            {usedLately(key, now) && (
              <>
                , used <Timestamp at={key.lastUsedAt} />
              </>
            )}
          </List.Item>
        ))}
        {more > 0 && <List.Item c="dimmed">and {formatNumber(more)} more</List.Item>}
      </List>
    </>
  );
}
