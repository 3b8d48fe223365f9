import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { unwrap } from '../api/client.ts';
import { Row, Rows } from '../components/rows.tsx';
import { shortenSecret } from '../components/shorten-secret.ts';
import { Loaded } from '../components/states.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { type Business, consoleKey, operatorsApi } from './api.ts';
import classes from './operators.module.css';

/** Finds businesses. */
export default function SearchPage() {
  const [parameters, setParameters] = useSearchParams();
  const searched = parameters.get('text') ?? '';
  const [text, setText] = useState(searched);
  return (
    <>
      <PageHeader title="Search" description="Each search is recorded in the log of operators." />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = shortenSecret(text.trim());
          setText(wanted);
          if (wanted !== '') setParameters({ text: wanted });
        }}
      >
        <Group align="flex-end" mb="lg">
          <TextInput
            flex="1 1 16rem"
            label="Search for"
            description="A part of a name, or a whole username, registration number, email address, client ID, request ID, or the last four characters of a key"
            value={text}
            maxLength={200}
            autoComplete="off"
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit">Search</Button>
        </Group>
      </form>
      {searched !== '' && <Results key={searched} text={searched} />}
    </>
  );
}

function Results({ text }: { readonly text: string }) {
  const query = useQuery({
    queryKey: consoleKey('search', text),
    queryFn: ({ signal }) => unwrap(operatorsApi.GET('/search', { params: { query: { text } }, signal })),
  });
  return (
    <Loaded query={query}>
      {({ results }) =>
        results.length === 0 ? (
          <Text c="dimmed">No matching businesses.</Text>
        ) : (
          <Rows label="Businesses" isStacked>
            {results.map(({ business, found }) => (
              <Row key={business.id} end={<BusinessState business={business} />}>
                <Stack gap={0}>
                  <Anchor
                    component={Link}
                    href={`/businesses/${business.id}`}
                    fw={600}
                    className={classes.break ?? ''}
                  >
                    {business.name}
                  </Anchor>
                  <Text size="sm" c="dimmed" className={classes.break ?? ''}>
                    {[business.username, business.facts?.legalName, ...found].filter(Boolean).join(', ')}
                  </Text>
                </Stack>
              </Row>
            ))}
          </Rows>
        )
      }
    </Loaded>
  );
}

const states = {
  verified: { label: 'Verified', tone: 'good' },
  pending: { label: 'In review', tone: 'waiting' },
  rejected: { label: 'Rejected', tone: 'bad' },
  unverified: { label: 'Not verified', tone: 'neutral' },
} as const;

/** Verification and ban of a business. */
export function BusinessState({
  business: { verification, isBanned },
}: {
  readonly business: Pick<Business, 'verification' | 'isBanned'>;
}) {
  const { label, tone } = states[verification];
  return (
    <Group gap="xs">
      <StatusBadge tone={tone}>{label}</StatusBadge>
      {isBanned && <StatusBadge tone="bad">Banned</StatusBadge>}
    </Group>
  );
}
