import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { toast, toastPropagation } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type ApiKeyDetail, useBlastRadius } from './api-keys.ts';
import { RadiusInDialog } from './radius-in-dialog.tsx';
import { SecondKeyLink } from './second-key-link.tsx';

/** Deletes a key for ever, after saying what that breaks. */
export function DeleteKeyDialog({
  apiKey,
  opened,
  onClose,
}: {
  readonly apiKey: ApiKeyDetail;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const radius = useBlastRadius(apiKey.id, { enabled: opened });
  const isActive = apiKey.status === 'active';
  const deletion = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/businesses/{businessId}/api-keys/{apiKeyId}', {
          params: { path: { businessId, apiKeyId: apiKey.id } },
        }),
      ),
    onSuccess: ({ propagation }) => {
      navigate('/developers/keys', { replace: true });
      client.removeQueries({ queryKey: businessKey(businessId, 'api-keys', apiKey.id) });
      void client.invalidateQueries({ queryKey: businessKey(businessId, 'api-keys'), exact: true });
      toast(`“${apiKey.name}” is deleted.`);
      toastPropagation(propagation);
    },
  });
  return (
    <ConfirmByName
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
      <RadiusInDialog query={radius} />
      <Text size="sm">
        {isActive && (
          <>
            <strong>The key stops working at once</strong>: whatever still uses it is refused.{' '}
          </>
        )}
        This cannot be undone.
      </Text>
      {isActive && <SecondKeyLink apiKeyId={apiKey.id} />}
    </ConfirmByName>
  );
}
