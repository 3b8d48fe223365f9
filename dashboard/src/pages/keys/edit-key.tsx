import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldErrors } from '../../api/errors.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useFocusOnError } from '../../components/hooks.ts';
import { ErrorAlert } from '../../components/states.tsx';
import { BlockedAddressesDialog } from '../apps/whitelist.tsx';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import { type ApiKeyDetail, scopeRemovalWarning } from './api.ts';
import { changedSettings, type KeySettings, settingsOf } from './form-values.ts';
import { SettingsFields } from './key-fields.tsx';
import { useOwnKeyRules } from './member-rules.ts';
import { useSaveKey } from './save-key.ts';

function EditKeyForm({ apiKey, onDone }: { readonly apiKey: ApiKeyDetail; readonly onDone: () => void }) {
  const { scopes, keyType, status } = apiKey;
  const mayChangeScopes = keyType === 'restricted' && status === 'active';
  const rules = useOwnKeyRules();
  const form = useForm<KeySettings>({ initialValues: settingsOf(apiKey) });
  const { save, isPending, error, confirmation } = useSaveKey(apiKey.id, {
    onSaved: onDone,
    onError: (refusal) => form.setErrors(fieldErrors(refusal)),
  });
  const formRef = useFocusOnError(error);
  const submit = (settings: KeySettings) => {
    const changes = changedSettings(form.getInitialValues(), settings);
    if (Object.keys(changes).length === 0) onDone();
    else save(changes);
  };
  // Of addresses alone, the whitelist shows which are in use.
  const { scopes: selected, ipWhitelist } = changedSettings(form.getInitialValues(), form.values);
  const removed = form.getInitialValues().scopes.filter((scope) => !form.values.scopes.includes(scope));
  return (
    <>
      <form ref={formRef} onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          <SettingsFields
            propsOf={(field) => form.getInputProps(field)}
            hints={{ scopes: 'Select only what the program needs.' }}
            hasScopes={mayChangeScopes}
            hasWhitelist={status === 'active'}
            apiKeyId={apiKey.id}
            allowedScopes={rules?.secretKeys ? undefined : rules && [...rules.scopes, ...scopes]}
          />
          {removed.length > 0 && (
            <Alert color="yellow" p="sm" role="status">
              {scopeRemovalWarning(removed)}
            </Alert>
          )}
          {selected !== undefined && (
            <ForecastPanel
              forecasted={{
                apiKeyId: apiKey.id,
                change: { scopes: selected, ...(ipWhitelist && { ipWhitelist }) },
              }}
            />
          )}
          <Text size="sm" c="dimmed">
            {status === 'expired'
              ? 'This key has expired. Only its name and description can be changed.'
              : 'Type and expiration cannot be changed. Create a second key instead.'}
          </Text>
          <ErrorAlert error={error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onDone} disabled={isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
      <BlockedAddressesDialog
        confirmation={confirmation}
        use="This key was used from these addresses in the last 30 days."
      />
    </>
  );
}

/** Edits the settings of a key. */
export function EditKeyDialog({
  apiKey,
  opened,
  onClose,
}: {
  readonly apiKey: ApiKeyDetail;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Edit key" size="lg" closeOnClickOutside={false}>
      <EditKeyForm apiKey={apiKey} onDone={onClose} />
    </Dialog>
  );
}
