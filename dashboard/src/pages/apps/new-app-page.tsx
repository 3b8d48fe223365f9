import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { ErrorAlert, Loaded } from '../../components/states.tsx';
import { useStayDuring } from '../../components/stay.ts';
import { NotForViewers } from '../../components/viewer-note.tsx';
import { BackLink, PageHeader } from '../../shell/page-header.tsx';
import { useBusiness, useMayChange } from '../../shell/session-context.ts';
import { useApplicationCache, useApplications } from './api.ts';
import { AppFields } from './app-fields.tsx';
import { useAppForm } from './app-form.ts';
import { NoApps, ObstacleNotice } from './apps-page.tsx';
import { type AppFormValues, emptyValues, toRequestBody } from './form-values.ts';
import { ClientSecretDialog } from './rotate-secret-dialog.tsx';

/** Registers an app, then shows its client secret once. */
function NewAppForm({ onSubmitted }: { readonly onSubmitted: () => void }) {
  const { id: businessId } = useBusiness();
  const [, navigate] = useLocation();
  const { store: keep } = useApplicationCache();
  const form = useAppForm(emptyValues);
  const registration = useMutation({
    mutationFn: (values: AppFormValues) =>
      unwrap(
        api.POST('/businesses/{businessId}/applications', {
          params: { path: { businessId } },
          body: toRequestBody(values),
        }),
      ),
    onSuccess: ({ application }) => keep(application),
    onError: (error) => {
      isSubmitting.current = false;
      form.showError(error);
    },
  });
  const { data, error, isPending, isSuccess } = registration;
  useStayDuring(isPending);
  const isSubmitting = useRef(false);
  const register = (values: AppFormValues) => {
    if (isSubmitting.current) return;
    isSubmitting.current = true;
    onSubmitted();
    registration.mutate(values);
  };
  return (
    <>
      <form ref={form.ref} onSubmit={form.submit(register)} noValidate>
        <Stack gap="xl" maw="46rem">
          <AppFields
            form={form}
            scopesHint="Shown to businesses in these words when they connect your app. Request as few as possible; you can change them later."
          />
          <ErrorAlert error={error} />
          {error instanceof ApiError && error.isTransient && <PossiblyRegistered />}
          <Group gap="sm">
            <Button type="submit" loading={isPending || isSuccess}>
              Register the app
            </Button>
            <Button component={Link} href="/settings/developers/apps" variant="default" disabled={isPending}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
      <ClientSecretDialog
        title="Your app is registered"
        clientId={data?.application.clientId}
        clientSecret={data?.clientSecret}
        onClose={() => navigate(`/settings/developers/apps/${data?.application.id}`)}
      />
    </>
  );
}

function PossiblyRegistered() {
  return (
    <Text size="sm" c="dimmed">
      The app may have been registered anyway. Check{' '}
      <Anchor component={Link} href="/settings/developers/apps" inherit underline="always">
        your apps
      </Anchor>{' '}
      before you try again. If it is there, rotate its client secret to get a new one.
    </Text>
  );
}

export default function NewAppPage() {
  const query = useApplications();
  const mayChange = useMayChange();
  // This app may be the last one allowed. The form stays, so that the secret is still shown.
  const [isSubmitted, setSubmitted] = useState(false);
  return (
    <>
      <PageHeader
        title="Register an app"
        description="You get a client ID and a client secret for the OAuth 2.0 flow of your server."
        back={<BackLink href="/settings/developers/apps">Apps</BackLink>}
      />
      <Loaded query={query}>
        {({ obstacle, applications }) => {
          if (!mayChange) return <NotForViewers>register apps</NotForViewers>;
          if (obstacle === null || isSubmitted) return <NewAppForm onSubmitted={() => setSubmitted(true)} />;
          if (applications.length === 0) return <NoApps obstacle={obstacle} />;
          return <ObstacleNotice obstacle={obstacle} />;
        }}
      </Loaded>
    </>
  );
}
