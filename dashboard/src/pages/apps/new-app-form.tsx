import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import { ActionError } from '../../parts/action-error.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type AppDraft, bodyOf, newDraft } from './app-draft.ts';
import { AppFields } from './app-fields.tsx';
import { useApplicationCache } from './applications.ts';
import { ClientSecretOnce } from './client-secret-once.tsx';
import { useAppForm } from './use-app-form.ts';

/** Asks for everything that an app is made of, and shows its secret once it is there. */
export function NewAppForm({ onSent }: { readonly onSent: () => void }) {
  const { id: businessId } = useBusiness();
  const [, navigate] = useLocation();
  const { keep } = useApplicationCache();
  const form = useAppForm(newDraft);
  const registration = useMutation({
    mutationFn: (draft: AppDraft) =>
      answerOf(
        api.POST('/businesses/{businessId}/applications', {
          params: { path: { businessId } },
          body: bodyOf(draft),
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
  const register = (draft: AppDraft) => {
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
          <ActionError error={error} />
          {error instanceof ApiError && error.isTransient && <PerhapsRegistered />}
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
      <ClientSecretOnce
        title="Your app is registered"
        clientId={data?.application.clientId}
        clientSecret={data?.clientSecret}
        onClose={() => navigate(`/developers/apps/${data?.application.id}`)}
      />
    </>
  );
}

function PerhapsRegistered() {
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
