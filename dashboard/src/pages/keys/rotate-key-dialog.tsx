import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { PropagationNotice } from '../../parts/propagation-notice.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type ApiKeyDetail, useBlastRadius, useRefreshApiKeys } from './api-keys.ts';
import { RadiusInDialog } from './radius-in-dialog.tsx';
import { SecondKeyLink } from './second-key-link.tsx';
import { tryCommand } from './try-command.ts';

/** Replaces the key string, after saying what that breaks, and shows the new one. */
export function RotateKeyDialog({
  apiKey,
  opened,
  onClose,
}: {
  readonly apiKey: ApiKeyDetail;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const radius = useBlastRadius(apiKey.id, { enabled: opened });
  const refresh = useRefreshApiKeys();
  const rotation = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/businesses/{businessId}/api-keys/{apiKeyId}/rotate', {
          params: { path: { businessId, apiKeyId: apiKey.id } },
        }),
      ),
    onSuccess: () => {
      onClose();
      void refresh();
    },
  });
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
        mutation={rotation}
        disabled={radius.isFetching}
        onConfirm={() => rotation.mutate()}
      >
        <RadiusInDialog query={radius} />
        <Text size="sm">
          The key gets a new string, which you are shown once.{' '}
          <strong>The old string stops working at once</strong>: whatever still uses it is refused until it
          has the new one. Everything else stays as it is.
        </Text>
        <SecondKeyLink apiKeyId={apiKey.id} />
      </ConfirmDialog>
      <SecretOnce
        title="Your new key string"
        what="the key"
        secret={rotated?.keyString}
        curl={rotated && tryCommand(rotated.apiKey, rotated.keyString)}
        onClose={rotation.reset}
      >
        <PropagationNotice propagation={rotated?.propagation} />
      </SecretOnce>
    </>
  );
}
