import { Button } from '@mantine/core';
import { ApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import { toast, toastError } from '../../parts/toast.tsx';
import { type LoginSession, useAccountChange } from './profile.ts';

/** Logs one other browser out. */
export function EndSession({ session: { ref, browser } }: { readonly session: LoginSession }) {
  const end = useAccountChange(async () => {
    const params = { path: { sessionRef: ref } };
    // One that is over already is what was asked for.
    await answerOf(api.DELETE('/profile/sessions/{sessionRef}', { params })).catch(unlessGone);
  });
  return (
    <Button
      variant="default"
      size="xs"
      loading={end.isPending}
      aria-label={`End the session of ${browser}`}
      onClick={() =>
        end.mutate(undefined, {
          onSuccess: () => toast(`${browser} is logged out.`),
          onError: toastError,
        })
      }
    >
      End
    </Button>
  );
}

function unlessGone(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}
