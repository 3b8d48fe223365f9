import { Group, Radio, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { CopyField, SecretDialog } from '../../components/copy.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { PropagationNotice } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type Application, useApplicationCache } from './api.ts';
import classes from './apps.module.css';

/** Shows a new client secret for the first and last time, and says where it belongs. */
export function ClientSecretDialog({
  title,
  clientId,
  clientSecret,
  children,
  onClose,
}: {
  readonly title: string;
  readonly clientId: string | undefined;
  /** Undefined closes the dialog. */
  readonly clientSecret: string | undefined;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) {
  return (
    <SecretDialog
      title={title}
      secret={clientSecret}
      what="the client secret"
      label="Client secret"
      onClose={onClose}
    >
      {children}
      <Text size="sm">
        Your server sends client ID and secret to the token endpoint. Keep the secret out of everything that
        runs at your users: no browser code, no mobile app, no repository.
      </Text>
      {clientId !== undefined && <CopyField value={clientId} what="the client ID" label="Client ID" />}
    </SecretDialog>
  );
}

const maxSecrets = 2;

/** Makes a new client secret, after asking what becomes of the old one. */
export function RotateSecretDialog({
  application,
  opened,
  onClose,
}: {
  readonly application: Application;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const { store: keep, invalidate: refresh } = useApplicationCache(application.id);
  const hasRoom = application.secrets.length < maxSecrets;
  const [chosen, setChosen] = useState('keep');
  const choice = hasRoom ? chosen : 'replace';
  const rotation = useMutation({
    mutationFn: (keepOld: boolean) =>
      unwrap(
        api.POST('/businesses/{businessId}/applications/{applicationId}/client-secrets', {
          params: { path: { businessId, applicationId: application.id } },
          body: { keepOld },
        }),
      ),
    onSuccess: ({ application: rotated }) => {
      onClose();
      keep(rotated);
    },
    // Its answer may be what got lost.
    onError: () => refresh(),
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  const { data, reset } = rotation;
  const isUnderWay = useRef(false);
  const rotate = () => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    rotation.mutate(choice === 'keep');
  };
  return (
    <>
      <ConfirmDialog
        title="Rotate the client secret?"
        action={choice === 'keep' ? 'Make a second secret' : 'Replace at once'}
        destructive={choice === 'replace'}
        opened={opened}
        onClose={() => {
          onClose();
          if (rotation.isError) reset();
        }}
        mutation={rotation}
        onConfirm={rotate}
      >
        <Radio.Group value={choice} onChange={setChosen} label="What becomes of the old one?">
          <Stack gap="sm" mt="xs">
            <Choice
              value="keep"
              label="Keep it until you delete it"
              disabled={!hasRoom}
              text={
                hasRoom
                  ? 'Both work side by side. Bring the new one to your servers, watch “last used” of the old one, then delete it. Nothing is interrupted.'
                  : 'There are two secrets already. Delete one first.'
              }
            />
            <Choice
              value="replace"
              label="Replace it at once"
              text={`${hasRoom ? 'The old one stops' : 'Both old ones stop'} working now. Until your servers have the new one, your app gets no new tokens. For a secret that has leaked.`}
            />
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          Businesses stay connected, and tokens that were issued go on working.
        </Text>
      </ConfirmDialog>
      <ClientSecretDialog
        title="Your new client secret"
        clientId={application.clientId}
        clientSecret={data?.clientSecret}
        onClose={reset}
      >
        <PropagationNotice propagation={data?.propagation} />
      </ClientSecretDialog>
    </>
  );
}

function Choice({
  value,
  label,
  text,
  disabled = false,
}: {
  readonly value: string;
  readonly label: string;
  readonly text: string;
  readonly disabled?: boolean;
}) {
  return (
    <Radio.Card
      value={value}
      disabled={disabled}
      className={classes.choice ?? ''}
      aria-label={`${label}. ${text}`}
    >
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Radio.Indicator disabled={disabled} />
        <div>
          <Text size="sm" fw={600}>
            {label}
          </Text>
          <Text size="sm" c="dimmed" mt={2}>
            {text}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  );
}
