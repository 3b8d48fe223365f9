import { Button, Group, Stack, Text } from '@mantine/core';
import { ActionError } from '../../parts/action-error.tsx';
import { AppFields } from './app-fields.tsx';
import type { Application } from './applications.ts';
import { ConfirmShutOut } from './confirm-shut-out.tsx';
import { DeleteAppPanel } from './delete-app-panel.tsx';
import { useSaveApp } from './use-save-app.ts';

/** Changes what is decided about an app, and deletes it. */
export function AppSettingsForm({ application }: { readonly application: Application }) {
  const { form, save, isPending, error, doubt } = useSaveApp(application);
  return (
    <Stack gap="xl" maw="46rem">
      <form ref={form.element} onSubmit={form.submit(save)} noValidate>
        <Stack gap="xl">
          <AppFields
            form={form}
            applicationId={application.id}
            scopesHint="In the words in which businesses are asked. What is taken away here ends for every connected business at once; what is added has to be approved by each of them."
          />
          <ActionError error={error} />
          <Group gap="sm">
            <Button type="submit" loading={isPending}>
              Save changes
            </Button>
            {form.fields.isDirty() && (
              <>
                <Button variant="default" disabled={isPending} onClick={form.discard}>
                  Discard changes
                </Button>
                <Text size="sm" c="dimmed">
                  There are unsaved changes.
                </Text>
              </>
            )}
          </Group>
        </Stack>
      </form>
      <DeleteAppPanel application={application} />
      <ConfirmShutOut doubt={doubt} />
    </Stack>
  );
}
