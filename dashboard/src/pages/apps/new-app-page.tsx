import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { ErrorAlert, Loaded } from '../../components/states.tsx';
import { BackLink, PageHeader } from '../../shell/page-header.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { useApplicationCache, useApplications } from './api.ts';
import { AppFields } from './app-fields.tsx';
import { useAppForm } from './app-form.ts';
import { NoApps, ObstacleNotice } from './apps-page.tsx';
import { type AppFormValues, emptyValues, toRequestBody } from './form-values.ts';
import { ClientSecretDialog } from './rotate-secret-dialog.tsx';

/** Asks for everything that an app is made of, and shows its secret once it is there. */
function NewAppForm({ onSent }: { readonly onSent: () => void }) {
  const { id: businessId } = useBusiness();
  const [, navigate] = useLocation();
  const { store: keep } = useApplicationCache();
  const form = useAppForm(emptyValues);
  const registration = useMutation({
    mutationFn: (draft: AppFormValues) =>
      unwrap(
        api.POST('/businesses/{businessId}/applications', {
          params: { path: { businessId } },
          body: toRequestBody(draft),
        }),
      ),
    onSuccess: ({ application }) => keep(application),
    onError: (refusal) => {
      isUnderWay.current = false;
      form.refuse(refusal);
    },
  });
  const { data, error, isPending, isSuccess } = registration;
  const isUnderWay = useRef(false);
  const register = (draft: AppFormValues) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    onSent();
    registration.mutate(draft);
  };
  return (
    <>
      <form ref={form.element} onSubmit={form.submit(register)} noValidate>
        <Stack gap="xl" maw="46rem">
          <AppFields
            form={form}
            scopesHint="What your app asks businesses for, in the words in which they are asked. The fewer, the easier they agree; you can change it later."
          />
          <ErrorAlert error={error} />
          {error instanceof ApiError && error.isTransient && <PossiblyRegistered />}
          <Group gap="sm">
            <Button type="submit" loading={isPending || isSuccess}>
              Register the app
            </Button>
            <Button component={Link} href="/developers/apps" variant="default">
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
      <ClientSecretDialog
        title="Your app is registered"
        clientId={data?.application.clientId}
        clientSecret={data?.clientSecret}
        onClose={() => navigate(`/developers/apps/${data?.application.id}`)}
      />
    </>
  );
}

function PossiblyRegistered() {
  return (
    <Text size="sm" c="dimmed">
      The app may have been registered all the same. Look at{' '}
      <Anchor component={Link} href="/developers/apps" inherit underline="always">
        your apps
      </Anchor>{' '}
      before you try again: one whose secret nobody has seen can get a new one.
    </Text>
  );
}

export default function NewAppPage() {
  const query = useApplications();
  // The app that is made here may be the last one there is room for: its secret is shown all the same.
  const [isSent, setSent] = useState(false);
  return (
    <>
      <PageHeader
        title="Register an app"
        description="You get a client ID and a client secret, with which your server takes part in OAuth 2.0."
        back={<BackLink href="/developers/apps">Apps</BackLink>}
      />
      <Loaded query={query}>
        {({ obstacle, applications }) => {
          if (obstacle === null || isSent) return <NewAppForm onSent={() => setSent(true)} />;
          if (applications.length === 0) return <NoApps obstacle={obstacle} />;
          return <ObstacleNotice obstacle={obstacle} />;
        }}
      </Loaded>
    </>
  );
}
