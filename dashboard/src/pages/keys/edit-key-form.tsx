import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { formFaults } from '../../api/form-faults.ts';
import type { Scope } from '../../api/scopes.ts';
import { ActionError } from '../../parts/action-error.tsx';
import { ScopeChoice } from '../../parts/scope-choice.tsx';
import { toast } from '../../parts/toast.tsx';
import { useFocusOnFault } from '../../parts/use-focus-on-fault.ts';
import type { ApiKeyDetail } from './api-keys.ts';
import { refusedAfterwards } from './refused-afterwards.ts';
import { type KeyChanges, useUpdateKey } from './use-update-key.ts';

interface Fields {
  readonly name: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
}

/** The fields of a key that may be changed, filled in. */
export function EditKeyForm({
  apiKey,
  onDone,
}: {
  readonly apiKey: ApiKeyDetail;
  readonly onDone: () => void;
}) {
  const { name, description, scopes, keyType, status } = apiKey;
  const mayChangeScopes = keyType === 'restricted' && status === 'active';
  const form = useForm<Fields>({ initialValues: { name, description, scopes } });
  const update = useUpdateKey(apiKey.id);
  const element = useFocusOnFault(update.error);
  const submit = (fields: Fields) => {
    const changes = changesOf(apiKey, fields);
    if (Object.keys(changes).length === 0) return onDone();
    update.mutate(changes, {
      onSuccess: () => {
        toast('The changes are saved.');
        onDone();
      },
      onError: (error) => form.setErrors(formFaults(error)),
    });
  };
  const removed = scopes.filter((scope) => !form.values.scopes.includes(scope));
  return (
    <form ref={element} onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <TextInput label="Name" required autoComplete="off" data-autofocus {...form.getInputProps('name')} />
        <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
        {mayChangeScopes && (
          <ScopeChoice description="Choose as few as the program needs." {...form.getInputProps('scopes')} />
        )}
        {removed.length > 0 && (
          <Alert color="yellow" p="sm" role="status">
            {refusedAfterwards(removed)}
          </Alert>
        )}
        <Text size="sm" c="dimmed">
          {status === 'expired'
            ? 'The key has expired: only its name and description can still be changed.'
            : 'Type and expiration cannot be changed. Make a second key for that.'}
        </Text>
        <ActionError error={update.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={update.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={update.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Only what is different. */
function changesOf(apiKey: ApiKeyDetail, { name, description, scopes }: Fields): KeyChanges {
  return {
    ...(name !== apiKey.name && { name }),
    ...(description !== apiKey.description && { description }),
    ...([...scopes].sort().join() !== apiKey.scopes.join() && { scopes }),
  };
}
