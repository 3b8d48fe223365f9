import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { businessKey } from '../../api/queries.ts';
import { CredentialName } from '../../components/credential-name.tsx';
import { Loaded } from '../../components/states.tsx';
import { useBusiness } from '../../shell/session-context.ts';

const path = '/businesses/{businessId}/events/{eventId}/author';

/** The author of the change that an event of the business is about: an API key, an app, or a person. */
export function EventAuthor({ eventId }: { readonly eventId: string }) {
  const { id: businessId } = useBusiness();
  const query = useQuery({
    queryKey: businessKey(businessId, 'event-author', eventId),
    queryFn: ({ signal }) => unwrap(api.GET(path, { params: { path: { businessId, eventId } }, signal })),
  });
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <Text size="sm" c="dimmed">
        No longer known: the event has ended
      </Text>
    );
  }
  return (
    <Loaded query={query} loading={<Text size="sm">…</Text>}>
      {({ caller, person }) => {
        if (caller !== null) return <CredentialName credential={caller} />;
        return (
          <Text size="sm">
            {person === null ? 'No key, app or member on record' : (person.name ?? 'A deleted account')}
          </Text>
        );
      }}
    </Loaded>
  );
}
