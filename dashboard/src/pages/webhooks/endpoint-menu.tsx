import { Checkbox, Code, PasswordInput, Text } from '@mantine/core';
import {
  IconChecklist,
  IconEdit,
  IconEye,
  IconHistory,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { fieldErrors } from '../../api/errors.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { RowMenu } from '../../components/rows.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useSession } from '../../shell/session-context.ts';
import { type EndpointOwner, useEndpointCalls, useWebhookChange } from './api.ts';
import { EndpointFormDialog, WebhookSecretDialog } from './endpoint-form.tsx';
import type { Endpoint } from './health.ts';
import { ReceiverCheckDialog } from './receiver-check.tsx';
import { RecoverDialog, TestEventDialog } from './send-dialogs.tsx';

interface EndpointProps extends EndpointOwner {
  readonly endpoint: Endpoint;
}

interface OpenedProps extends EndpointProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

type DialogName = 'edit' | 'test' | 'check' | 'recover' | 'reveal' | 'rotate' | 'delete';

/** An endpoint and the dialog about it. */
export interface OpenDialog {
  readonly endpoint: Endpoint;
  readonly name: DialogName;
}

export interface EndpointActionProps extends EndpointProps {
  readonly open: (dialog: OpenDialog) => void;
}

/** Enables or disables an endpoint. After enabling, offers to recover missed deliveries. */
export function useSwitch({ endpoint, applicationId, open }: EndpointActionProps) {
  const calls = useEndpointCalls({ applicationId });
  const switching = useWebhookChange(async (enable: boolean): Promise<number> => {
    if (enable) return (await calls.enable(endpoint.id)).recoverable;
    await calls.disable(endpoint.id);
    return 0;
  });
  const flip = () =>
    switching.mutate(!endpoint.enabled, {
      onSuccess: (recoverable) => {
        toast(endpoint.enabled ? 'Endpoint disabled. Events are kept for 30 days.' : 'Endpoint enabled.');
        if (recoverable > 0) open({ endpoint, name: 'recover' });
      },
      onError: toastError,
    });
  return { flip, isPending: switching.isPending };
}

/** Actions on an endpoint. */
export function EndpointMenu({ endpoint, applicationId, open }: EndpointActionProps) {
  const { flip, isPending } = useSwitch({ endpoint, applicationId, open });
  const opens = (name: DialogName) => () => open({ endpoint, name });
  return (
    <RowMenu
      label={`Actions for ${endpoint.url}`}
      loading={isPending}
      items={[
        { label: 'Edit', icon: IconEdit, onClick: opens('edit') },
        { label: 'Send a test event', icon: IconSend, onClick: opens('test') },
        { label: 'Check the receiver', icon: IconChecklist, onClick: opens('check') },
        { label: 'Recover deliveries', icon: IconHistory, onClick: opens('recover') },
        { label: 'Show the secret', icon: IconEye, onClick: opens('reveal') },
        { label: 'Rotate the secret', icon: IconRefresh, onClick: opens('rotate') },
        endpoint.enabled
          ? { label: 'Disable', icon: IconPlayerPause, onClick: flip }
          : { label: 'Enable', icon: IconPlayerPlay, onClick: flip },
        { label: 'Delete', icon: IconTrash, destructive: true, onClick: opens('delete') },
      ]}
    />
  );
}

/** The dialogs of the menu. Rendered beside the list, whose rows are re-mounted when a phone is rotated. */
export function EndpointDialogs({
  dialog,
  applicationId,
  onClose,
}: EndpointOwner & { readonly dialog: OpenDialog | undefined; readonly onClose: () => void }) {
  const [last, setLast] = useState<OpenDialog>();
  if (dialog !== undefined && dialog !== last) setLast(dialog);
  const endpoint = (dialog ?? last)?.endpoint;
  if (endpoint === undefined) return null;
  const propsOf = (name: DialogName) => ({
    endpoint,
    applicationId,
    opened: dialog?.name === name,
    onClose,
  });
  return (
    <>
      <EndpointFormDialog {...propsOf('edit')} />
      <TestEventDialog {...propsOf('test')} />
      <ReceiverCheckDialog {...propsOf('check')} />
      <RecoverDialog {...propsOf('recover')} />
      <RevealDialog {...propsOf('reveal')} />
      <RotateDialog {...propsOf('rotate')} />
      <DeleteDialog {...propsOf('delete')} />
    </>
  );
}

const toggleProps = { 'aria-label': 'Show the password' };

/** Shows the secret again, once the person has entered their password. */
function RevealDialog({ endpoint, applicationId, opened, onClose }: OpenedProps) {
  const { email } = useSession().person;
  const calls = useEndpointCalls({ applicationId });
  const [password, setPassword] = useState('');
  const revealing = useWebhookChange((entered: string) => calls.reveal(endpoint.id, entered));
  const { data, reset } = revealing;
  const close = () => {
    onClose();
    setPassword('');
  };
  const error = revealing.error === null ? undefined : fieldErrors(revealing.error).password;
  return (
    <>
      <ConfirmDialog
        title="Show the signing secret?"
        action="Show"
        opened={opened}
        onClose={() => {
          close();
          reset();
        }}
        mutation={error === undefined ? revealing : { ...revealing, error: null }}
        onConfirm={() => revealing.mutate(password, { onSuccess: close })}
        disabled={password === ''}
      >
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Your password"
          description="The audit log records who has viewed the secret."
          name="password"
          autoComplete="current-password"
          required
          visibilityToggleFocusable
          visibilityToggleButtonProps={toggleProps}
          aria-invalid={error !== undefined}
          error={error}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus
        />
      </ConfirmDialog>
      <WebhookSecretDialog
        secret={data?.secret}
        publicKey={data && { key: data.publicKey, endpointId: endpoint.id }}
        onClose={reset}
      />
    </>
  );
}

/** Creates a new secret. The old one continues to sign for 24 hours unless it ends at once. */
function RotateDialog({ endpoint, applicationId, opened, onClose }: OpenedProps) {
  const calls = useEndpointCalls({ applicationId });
  const [endsOld, setEndsOld] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening starts without the tick
  useEffect(() => setEndsOld(false), [opened, endpoint.id]);
  const rotating = useWebhookChange((endOld: boolean) => calls.rotate(endpoint.id, endOld));
  const { data, reset } = rotating;
  return (
    <>
      <ConfirmDialog
        title="Rotate the signing secret?"
        action="Rotate"
        destructive={endsOld}
        opened={opened}
        onClose={() => {
          onClose();
          reset();
        }}
        mutation={rotating}
        onConfirm={() => rotating.mutate(endsOld, { onSuccess: onClose })}
      >
        <Text size="sm">
          Requests are signed with both secrets for 24 hours, so that nothing is refused while you change your
          server.
        </Text>
        <Checkbox
          label="End the old secret at once"
          description="Use this when it has leaked. Your server refuses requests until it has the new one."
          checked={endsOld}
          onChange={(event) => setEndsOld(event.currentTarget.checked)}
        />
      </ConfirmDialog>
      <WebhookSecretDialog secret={data?.secret} onClose={reset} />
    </>
  );
}

function DeleteDialog({ endpoint, applicationId, opened, onClose }: OpenedProps) {
  const calls = useEndpointCalls({ applicationId });
  const deletion = useWebhookChange(() => calls.remove(endpoint.id));
  return (
    <ConfirmDialog
      title="Delete this endpoint?"
      action="Delete endpoint"
      destructive
      opened={opened}
      onClose={() => {
        onClose();
        deletion.reset();
      }}
      mutation={deletion}
      onConfirm={() =>
        deletion.mutate(undefined, {
          onSuccess: () => {
            onClose();
            toast('Endpoint deleted.');
          },
        })
      }
    >
      <Text size="sm">
        Nothing more is sent to <Code>{endpoint.url}</Code>, and its deliveries are deleted. This cannot be
        undone.
      </Text>
    </ConfirmDialog>
  );
}
