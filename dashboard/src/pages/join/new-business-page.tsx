import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { sessionKey } from '../../api/queries.ts';
import { useFocusOnError } from '../../components/hooks.ts';
import { Surface } from '../../components/panel.tsx';
import { ErrorAlert } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { CreateSandboxPanel } from '../sandbox/create-sandbox.tsx';
import classes from './join.module.css';

interface Draft {
  readonly accountHolder: string;
  readonly username: string;
}

/** Creates a business of the person and opens it. */
function useCreateBusiness() {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Draft) => unwrap(api.POST('/businesses', { body })),
    onSuccess: async ({ businessId }, { accountHolder }) => {
      await client.invalidateQueries({ queryKey: sessionKey });
      toast(`You own ${accountHolder.trim()}.`);
      // After the reloaded session, with the new business, has rendered.
      notifyManager.schedule(() => navigate(`~/dashboard/${businessId}`));
    },
  });
}

function NewBusinessForm() {
  const form = useForm<Draft>({ initialValues: { accountHolder: '', username: '' } });
  const creation = useCreateBusiness();
  const formRef = useFocusOnError(creation.error);
  const create = (draft: Draft) =>
    creation.mutate(draft, { onError: (error) => form.setErrors(fieldErrors(error)) });
  return (
    <form ref={formRef} noValidate aria-label="New business" onSubmit={form.onSubmit(create)}>
      <Stack gap="md">
        <TextInput
          label="Display name"
          description="Shown to people who connect your apps. It does not have to be the registered name."
          required
          autoComplete="off"
          maxLength={200}
          {...form.getInputProps('accountHolder')}
        />
        <TextInput
          label="Username"
          description="You can change it once every 30 days."
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
        <ErrorAlert error={creation.error} shown={Object.keys(form.values)} />
        <Group gap="sm">
          <Button type="submit" loading={creation.isPending}>
            Create business
          </Button>
          <Button component={Link} href="~/dashboard" variant="default" disabled={creation.isPending}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export default function NewBusinessPage() {
  return (
    <>
      <PageHeader
        title="Create a business"
        description="It has its own team, API keys, apps and limits, and is verified on its own. You are its owner."
      />
      <Stack gap="lg" maw="36rem">
        <Surface component="section" className={classes.card} aria-label="New business">
          <NewBusinessForm />
        </Surface>
        <CreateSandboxPanel />
      </Stack>
    </>
  );
}
