import { Alert, Code, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { toast, toastPropagation } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type Application, type ClientSecret, useApplicationCache } from './applications.ts';
import { secretHint, wasUsedLately } from './secret-hint.ts';

/** Ends a client secret, after a warning when it is in use. */
export function DeleteSecretDialog({
  application,
  secret,
  opened,
  onClose,
}: {
  readonly application: Application;
  readonly secret: ClientSecret;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const { keep } = useApplicationCache();
  const deletion = useMutation({
    mutationFn: ({ id: clientSecretId }: ClientSecret) =>
      answerOf(
        api.DELETE('/businesses/{businessId}/applications/{applicationId}/client-secrets/{clientSecretId}', {
          params: { path: { businessId, applicationId: application.id, clientSecretId } },
        }),
      ),
    onSuccess: ({ application: changed, propagation }, deleted) => {
      onClose();
      keep(changed);
      toast(`The secret ${secretHint(deleted)} is deleted.`);
      toastPropagation(propagation);
    },
  });
  const close = () => {
    deletion.reset();
    onClose();
  };
  const isLast = application.secrets.length === 1;
  return (
    <ConfirmDialog
      title="Delete this client secret?"
      action="Delete secret"
      destructive
      opened={opened}
      onClose={close}
      mutation={deletion}
      onConfirm={() => deletion.mutate(secret)}
    >
      <Text size="sm">
        <Code>{secretHint(secret)}</Code> stops working at once. This cannot be undone.
      </Text>
      {wasUsedLately(secret, Date.now()) ? (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm">
          It was last used <Moment at={secret.lastUsedAt} />: a server of yours probably still has it.
        </Alert>
      ) : (
        <Text size="sm">
          {secret.lastUsedAt === null ? (
            'It was never used.'
          ) : (
            <>
              It was last used <Moment at={secret.lastUsedAt} />.
            </>
          )}
        </Text>
      )}
      {isLast && (
        <Text size="sm">
          It is the only one: without it your app gets no tokens until you rotate to a new one.
        </Text>
      )}
    </ConfirmDialog>
  );
}
