import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { businessKey } from '../../api/queries.ts';
import { ConfirmDialog, TypeToConfirmDialog } from '../../components/dialog.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useStayDuring } from '../../components/stay.ts';
import { PropagationNotice, toast, toastPropagation } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import { IdentityDialog, needsIdentity } from '../profile/identity-dialog.tsx';
import { type ApiKeyDetail, useBlastRadiusInDialog, useRefreshApiKeys, useRefreshKeyList } from './api.ts';
import { BlastRadiusPreview } from './blast-radius.tsx';
import { tryCommand } from './form-values.ts';
import { SecondKeyLink } from './key-cells.tsx';
import { OldStringsInDialog } from './old-key-strings.tsx';

/** A key that is rotated or deleted. */
type ActedKey = Pick<ApiKeyDetail, 'id' | 'name' | 'status'>;

/** Deletes a key after showing its recent use. */
export function DeleteKeyDialog({
  apiKey,
  opened,
  onClose,
  onDeleted,
}: {
  readonly apiKey: ActedKey;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Leaves what shows the key. */
  readonly onDeleted: () => void;
}) {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const refreshList = useRefreshKeyList();
  const radius = useBlastRadiusInDialog(apiKey.id, { opened });
  const isActive = apiKey.status === 'active';
  const deletion = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/businesses/{businessId}/api-keys/{apiKeyId}', {
          params: { path: { businessId, apiKeyId: apiKey.id } },
        }),
      ),
    onSuccess: ({ propagation }) => {
      onDeleted();
      client.removeQueries({ queryKey: businessKey(businessId, 'api-keys', apiKey.id) });
      void refreshList();
      toast(`“${apiKey.name}” deleted.`);
      toastPropagation(propagation);
    },
  });
  return (
    <TypeToConfirmDialog
      name={apiKey.name}
      title={`Delete “${apiKey.name}”?`}
      action="Delete key"
      opened={opened}
      onClose={() => {
        onClose();
        deletion.reset();
      }}
      mutation={deletion}
      onConfirm={() => deletion.mutate()}
    >
      <Text size="sm">
        {isActive && (
          <>
            <strong>The key stops working at once.</strong> Programs that still use it are refused.{' '}
          </>
        )}
        This cannot be undone.
      </Text>
      <BlastRadiusPreview query={radius} />
      <ForecastPanel forecasted={{ apiKeyId: apiKey.id, change: { deleted: true } }} />
      {isActive && <SecondKeyLink apiKeyId={apiKey.id} />}
    </TypeToConfirmDialog>
  );
}

/** Replaces the key string after showing its recent use, then shows the new string once. */
export function RotateKeyDialog({
  apiKey,
  opened,
  onClose,
}: {
  readonly apiKey: ActedKey;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const radius = useBlastRadiusInDialog(apiKey.id, { opened });
  const refresh = useRefreshApiKeys();
  const rotation = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/businesses/{businessId}/api-keys/{apiKeyId}/rotate', {
          params: { path: { businessId, apiKeyId: apiKey.id } },
        }),
      ),
    onSuccess: () => {
      onClose();
      void refresh();
    },
    // The key may have a new string even though the response was lost.
    onError: () => void refresh(),
  });
  useStayDuring(rotation.isPending);
  const rotated = rotation.data;
  return (
    <>
      <ConfirmDialog
        title={`Rotate “${apiKey.name}”?`}
        action="Rotate key"
        destructive
        opened={opened}
        onClose={() => {
          onClose();
          if (rotation.isError) rotation.reset();
        }}
        mutation={needsIdentity(rotation.error) ? { isPending: false, error: null } : rotation}
        disabled={radius.data === undefined && radius.error === null}
        onConfirm={() => rotation.mutate()}
      >
        <Text size="sm">
          The key gets a new string, which is shown once, and keeps all its settings.{' '}
          <strong>The old string stops working at once:</strong> programs that still use it are refused until
          they have the new one.
        </Text>
        <BlastRadiusPreview query={radius} />
        <ForecastPanel forecasted={{ apiKeyId: apiKey.id, change: { deleted: true } }} />
        {opened && <OldStringsInDialog apiKeyId={apiKey.id} isRotated={false} />}
        <SecondKeyLink apiKeyId={apiKey.id} />
        {rotation.error instanceof ApiError && rotation.error.isTransient && <PossiblyRotated />}
      </ConfirmDialog>
      <IdentityDialog
        error={rotation.error}
        onConfirmed={() => rotation.mutate()}
        onCancel={rotation.reset}
      />
      <SecretDialog
        title="Your new key string"
        what="the key"
        secret={rotated?.keyString}
        curl={rotated && tryCommand(rotated.apiKey, rotated.keyString)}
        onClose={() => rotation.reset()}
      >
        <PropagationNotice propagation={rotated?.propagation} />
        {rotated !== undefined && <OldStringsInDialog apiKeyId={apiKey.id} isRotated />}
      </SecretDialog>
    </>
  );
}

function PossiblyRotated() {
  return (
    <Text size="sm" c="dimmed">
      The old string may have ended anyway. Rotate the key again to get a new one.
    </Text>
  );
}
