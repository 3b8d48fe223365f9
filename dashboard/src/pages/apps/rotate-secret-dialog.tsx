import { Group, Radio, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { CopyField } from '../../components/copy.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useStayDuring } from '../../components/stay.ts';
import { PropagationNotice } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type Application, useApplicationCache } from './api.ts';
import classes from './apps.module.css';

/** Shows a new client secret once. */
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
        Your server sends the client ID and secret to the token endpoint. Keep the secret out of browser code,
        mobile apps and repositories.
      </Text>
      {clientId !== undefined && <CopyField value={clientId} what="the client ID" label="Client ID" />}
    </SecretDialog>
  );
}

const maxSecrets = 2;

/** Creates a client secret and keeps or replaces the old one. */
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
  const canKeepOld = application.secrets.length < maxSecrets;
  const [choice, setChoice] = useState('keep');
  const mode = canKeepOld ? choice : 'replace';
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
    // The secret may exist even though the response was lost.
    onError: () => refresh(),
    onSettled: () => {
      isSubmitting.current = false;
    },
  });
  const { data, reset, isPending } = rotation;
  useStayDuring(isPending);
  const isSubmitting = useRef(false);
  const rotate = () => {
    if (isSubmitting.current) return;
    isSubmitting.current = true;
    rotation.mutate(mode === 'keep');
  };
  return (
    <>
      <ConfirmDialog
        title="Rotate the client secret?"
        action={mode === 'keep' ? 'Create a second secret' : 'Replace now'}
        destructive={mode === 'replace'}
        opened={opened}
        onClose={() => {
          onClose();
          if (rotation.isError) reset();
        }}
        mutation={rotation}
        onConfirm={rotate}
      >
        <Radio.Group value={mode} onChange={setChoice} label="Old secret">
          <Stack gap="sm" mt="xs">
            <Choice
              value="keep"
              label="Keep until I delete it"
              disabled={!canKeepOld}
              text={
                canKeepOld
                  ? 'Both secrets work, and so do all tokens. Deploy the new one, wait until the old one is no longer used, then delete it. Nothing is interrupted.'
                  : 'This app already has two secrets. Delete one first.'
              }
            />
            <Choice
              value="replace"
              label="Replace now"
              text={`${canKeepOld ? 'The old secret stops' : 'Both old secrets stop'} working at once, and so do all access tokens: your app has no access until your servers have the new secret and refresh. Use this when a secret has leaked.`}
            />
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          {mode === 'keep'
            ? 'Businesses stay connected, and no token ends.'
            : 'Businesses stay connected, and refresh tokens stay valid.'}
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
