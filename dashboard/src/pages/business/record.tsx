import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconBan, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { fieldErrors } from '../../api/errors.ts';
import { changedValues } from '../../components/changed-values.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useFocusOnError } from '../../components/hooks.ts';
import { Panel } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { ErrorAlert } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness, useSession } from '../../shell/session-context.ts';
import classes from './business.module.css';
import type { BusinessRecord } from './business.ts';
import { Logo } from './logo.tsx';
import { useUpdateRecord } from './record-changes.ts';

/** The business record, as the API returns it; owners change it. */
export function RecordPanel({ record }: { readonly record: BusinessRecord }) {
  const { role } = useBusiness();
  const [isEditing, setEditing] = useState(false);
  const { supportEmail } = useSession();
  const { numericId, uniqueId, accountHolder, username, isBanned, createdAt } = record;
  const mayChange = role === 'owner' && !isBanned;
  return (
    <Panel
      title="Record"
      description="The data that the API returns about this business."
      actions={
        mayChange && (
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setEditing(true)}
          >
            Edit
          </Button>
        )
      }
    >
      {isBanned && (
        <Alert color="red" icon={<IconBan />} title="This business is banned" role="status">
          API requests can only read this record; all others are refused. Write to{' '}
          <Anchor href={`mailto:${supportEmail}`} inherit underline="always">
            {supportEmail}
          </Anchor>
          .
        </Alert>
      )}
      <DescriptionList
        items={[
          ['Name', accountHolder],
          ['Username', `@${username}`],
          ['Since', <Timestamp key="since" at={createdAt} format="date" />],
          ['Numeric ID', <Identifier key="number" value={String(numericId)} what="the numeric ID" />],
          ['Public ID', <Identifier key="id" value={uniqueId} what="the public ID" />],
          ['Logo', <Logo key="logo" record={record} mayChange={mayChange} />],
        ]}
      />
      <Dialog
        opened={isEditing}
        onClose={() => setEditing(false)}
        title="Edit the record"
        closeOnClickOutside={false}
      >
        <RecordForm record={record} onDone={() => setEditing(false)} />
      </Dialog>
    </Panel>
  );
}

function Identifier({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <span className={classes.identifier}>
      <code>{value}</code>
      <CopyButton value={value} what={what} />
    </span>
  );
}

function RecordForm({ record, onDone }: { readonly record: BusinessRecord; readonly onDone: () => void }) {
  const { accountHolder, username, usernameChangeableAt } = record;
  const form = useForm({ initialValues: { accountHolder, username } });
  const saving = useUpdateRecord();
  const formRef = useFocusOnError(saving.error);
  const isLocked = usernameChangeableAt !== null && Date.parse(usernameChangeableAt) > Date.now();
  const save = (values: typeof form.values) =>
    saving.mutate(changedValues(form.getInitialValues(), values), {
      onSuccess: () => {
        toast('Changes saved.');
        onDone();
      },
      onError: (error) => form.setErrors(fieldErrors(error)),
    });
  return (
    <form ref={formRef} noValidate aria-label="Record" onSubmit={form.onSubmit(save)}>
      <Stack gap="md">
        <TextInput
          label="Display name"
          description="Shown to people who connect your apps. It does not have to be the registered name."
          required
          autoComplete="organization"
          maxLength={200}
          data-autofocus
          {...form.getInputProps('accountHolder')}
        />
        <TextInput
          label="Username"
          description={
            isLocked ? (
              <>
                You can change it again on <Timestamp at={usernameChangeableAt} format="date" />.
              </>
            ) : (
              'You can change it once every 30 days. No other business can take the old one.'
            )
          }
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          disabled={isLocked}
          {...form.getInputProps('username')}
        />
        <ErrorAlert error={saving.error} shown={Object.keys(form.values)} />
        <Text size="sm" c="dimmed">
          The API returns the change at once, and receivers of webhooks are notified.
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={saving.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
