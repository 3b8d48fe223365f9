import { Alert, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { fieldErrors } from '../../api/errors.ts';
import { useOwnEvents } from '../../api/session.ts';
import { changedValues } from '../../components/changed-values.ts';
import { CopyField } from '../../components/copy.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { WebhookEventsField } from '../../components/webhook-events.tsx';
import { useOwnKeyRules } from '../keys/member-rules.ts';
import {
  type EndpointOwner,
  type EndpointValues,
  useEndpointCalls,
  useEndpoints,
  useWebhookChange,
} from './api.ts';
import type { Endpoint } from './health.ts';

interface EndpointDialogProps extends EndpointOwner {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function valuesOf(endpoint: Endpoint | undefined): EndpointValues {
  if (endpoint === undefined) return { url: '', description: '', events: [] };
  const { url, description, events } = endpoint;
  return { url, description, events };
}

/** The settings that differ from the initial ones. */
function changedEndpoint(initial: EndpointValues, values: EndpointValues): Partial<EndpointValues> {
  const sorted = (each: EndpointValues) => ({ ...each, events: each.events.toSorted() });
  return changedValues(sorted(initial), sorted(values));
}

/** Adds an endpoint and shows its secret, or changes one. */
export function EndpointFormDialog({
  endpoint,
  applicationId,
  opened,
  onClose,
}: EndpointDialogProps & { readonly endpoint: Endpoint | undefined }) {
  const calls = useEndpointCalls({ applicationId });
  const rules = useOwnKeyRules();
  const scopes = rules === undefined || rules.secretKeys ? undefined : rules.scopes;
  const needed = ['orders:read', 'business:read', ...useOwnEvents().map(({ scope }) => scope)];
  const mayReceiveAll = needed.every((scope) => scopes?.some((own) => own === scope) ?? true);
  const [secret, setSecret] = useState<string>();
  const form = useForm<EndpointValues>({ initialValues: valuesOf(endpoint) });
  const saving = useWebhookChange(async (values: EndpointValues) => {
    if (endpoint === undefined) return (await calls.create(values)).secret;
    const changes = changedEndpoint(form.getInitialValues(), values);
    if (Object.keys(changes).length > 0) await calls.update(endpoint.id, changes);
    return undefined;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening starts with what is stored
  useEffect(() => {
    if (!opened) return;
    form.setInitialValues(valuesOf(endpoint));
    form.setValues(valuesOf(endpoint));
    form.clearErrors();
    saving.reset();
  }, [opened]);
  const save = () =>
    saving.mutate(form.values, {
      onSuccess: (created) => {
        onClose();
        setSecret(created);
        toast(endpoint === undefined ? 'Endpoint added.' : 'Endpoint saved.');
      },
      onError: (error) => form.setErrors(fieldErrors(error)),
    });
  const isNew = endpoint === undefined;
  const held = form.getInitialValues().events;
  const others =
    useEndpoints({ applicationId }).data?.endpoints.filter(({ id }) => id !== endpoint?.id) ?? [];
  const isTaken = others.some(({ url }) => url === form.values.url.trim());
  return (
    <>
      <ConfirmDialog
        title={isNew ? 'Add an endpoint' : 'Edit the endpoint'}
        action={isNew ? 'Add' : 'Save'}
        opened={opened}
        onClose={onClose}
        mutation={saving}
        onConfirm={save}
        wide
      >
        <TextInput
          label="URL"
          description="https, on a public address."
          placeholder="https://example.com/webhooks"
          required
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('url')}
        />
        {isTaken && (
          <Alert color="yellow" p="xs" role="status">
            Another endpoint has this URL: events that both receive arrive twice.
          </Alert>
        )}
        <TextInput label="Description" autoComplete="off" {...form.getInputProps('description')} />
        <WebhookEventsField
          ofApp={applicationId !== undefined}
          held={held}
          scopes={scopes}
          label="Events"
          description={mayReceiveAll ? 'Select none to receive all.' : 'Select the events to receive.'}
          {...form.getInputProps('events')}
        />
        {held.length > 0 && form.values.events.length === 0 && mayReceiveAll && (
          <Alert color="yellow" p="xs" role="status">
            No event is selected, so the endpoint will receive all of them.
          </Alert>
        )}
      </ConfirmDialog>
      <WebhookSecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

/** Shows a secret, and the public key when that is known. */
export function WebhookSecretDialog({
  secret,
  publicKey,
  onClose,
}: {
  /** Undefined closes the dialog. */
  readonly secret: string | undefined;
  readonly publicKey?: { readonly key: string; readonly endpointId: string } | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Dialog opened={secret !== undefined} onClose={onClose} title="Signing secret" size="lg">
      <Stack gap="md">
        <Text size="sm">
          Your server uses it to verify the signature of each request, with any Standard Webhooks library.
          Keep it out of browser code and repositories.
        </Text>
        {secret !== undefined && <CopyField value={secret} what="the signing secret" label="Secret" />}
        {publicKey !== undefined && (
          <>
            <CopyField value={publicKey.key} what="the public key" label="Public key (v1a signatures)" />
            <CopyField
              value={`${window.location.origin}/.well-known/webhook-keys/${publicKey.endpointId}`}
              what="the address of the public key"
              label="Address of the public key"
            />
          </>
        )}
      </Stack>
    </Dialog>
  );
}
