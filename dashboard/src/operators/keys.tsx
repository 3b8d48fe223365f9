import { Button, Center, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { formatNumber } from '../components/format.ts';
import { Panel } from '../components/panel.tsx';
import { Row } from '../components/rows.tsx';
import { shortenSecret } from '../components/shorten-secret.ts';
import { Loaded } from '../components/states.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ActionButton } from './action-button.tsx';
import { consoleKey, type Key, operatorsApi } from './api.ts';
import classes from './operators.module.css';
import { RowsOrNone } from './rows.tsx';

/** Rows added by "Show more". */
const pageSize = 50;

/** API keys of a business and their limits. A search is sent only when it is complete, because each one is logged. */
export function Keys({ businessId }: { readonly businessId: string }) {
  const [text, setText] = useState('');
  const [search, setSearch] = useState('');
  const query = useQuery({
    queryKey: consoleKey('api-keys', businessId, search),
    queryFn: ({ signal }) => {
      const params = { path: { businessId }, query: search === '' ? {} : { search } };
      return unwrap(operatorsApi.GET('/businesses/{businessId}/api-keys', { params, signal }));
    },
  });
  const hasMany = (query.data?.apiKeys.length ?? 0) > pageSize;
  return (
    <Panel title="API keys">
      {(hasMany || search !== '') && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setSearch(shortenSecret(text.trim()));
          }}
        >
          <Group gap="xs">
            <TextInput
              flex={1}
              aria-label="Search by name or last four characters"
              placeholder="Name or last four characters"
              maxLength={200}
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" variant="default">
              Search
            </Button>
          </Group>
        </form>
      )}
      <Loaded query={query}>
        {(list) => <KeyRows key={search} businessId={businessId} {...list} isSearched={search !== ''} />}
      </Loaded>
    </Panel>
  );
}

function KeyRows({
  businessId,
  apiKeys,
  complete,
  isSearched,
}: {
  readonly businessId: string;
  readonly apiKeys: readonly Key[];
  /** False when there are more. */
  readonly complete: boolean;
  readonly isSearched: boolean;
}) {
  const [shown, setShown] = useState(pageSize);
  return (
    <>
      {!complete && (
        <Text size="sm" c="dimmed">
          Only the {formatNumber(apiKeys.length)} newest {isSearched && 'matching '}keys are listed. A{' '}
          {isSearched && 'longer '}search finds the others.
        </Text>
      )}
      <RowsOrNone label="API keys" none={isSearched ? 'No keys match.' : 'No API keys.'}>
        {apiKeys.slice(0, shown).map((key) => (
          <KeyRow key={key.id} businessId={businessId} apiKey={key} />
        ))}
      </RowsOrNone>
      {apiKeys.length > shown && (
        <Center>
          <Button variant="default" onClick={() => setShown(shown + pageSize)}>
            Show more
          </Button>
        </Center>
      )}
    </>
  );
}

function KeyRow({ businessId, apiKey }: { readonly businessId: string; readonly apiKey: Key }) {
  const { id, name, keyType, lastFour, status, limit, lastUsedAt } = apiKey;
  const params = { path: { businessId, apiKeyId: id } };
  return (
    <Row
      end={
        status !== 'expired' && (
          <ActionButton
            action="Set the limit"
            title={`Set the limit of ${name}?`}
            limit={limit}
            done="The limit is set."
            send={(reason, wanted) =>
              unwrap(
                operatorsApi.PUT('/businesses/{businessId}/api-keys/{apiKeyId}/limit', {
                  params,
                  body: { reason, limit: wanted },
                }),
              )
            }
          >
            <Text size="sm">Requests in any hour, from now on.</Text>
          </ActionButton>
        )
      }
    >
      <Text size="sm" className={classes.break ?? ''}>
        <strong>{name}</strong> (…{lastFour}), {keyType}, {status}, {formatNumber(limit)} requests an hour
      </Text>
      <Text size="sm" c="dimmed">
        {lastUsedAt !== null && 'Last used '}
        <Timestamp at={lastUsedAt} absent="Never used" />
      </Text>
    </Row>
  );
}
