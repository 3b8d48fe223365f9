import { Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Surface } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import type { ApiKeyDetail } from './api.ts';
import { keyHint, typeNames } from './form-values.ts';
import { Expires, KeyStatus, LastUsed } from './key-cells.tsx';

/** Facts about a key, at the top of its page. */
export function KeyFacts({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const { status, keyType, createdAt, rotatedAt, createdBy, secretSeenBy } = apiKey;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Status', <KeyStatus key="status" apiKey={apiKey} />],
    ['Type', typeNames[keyType]],
    ['Addresses', <Addresses key="addresses" entries={apiKey.ipWhitelist} />],
    ['Key', <Code key="hint">{keyHint(apiKey)}</Code>],
    ['Last used', <LastUsed key="used" apiKey={apiKey} />],
    [status === 'expired' ? 'Expired' : 'Expires', <Expires key="expires" apiKey={apiKey} />],
    ['Created', <Timestamp key="created" at={createdAt} format="date" />],
    ['Rotated', <Timestamp key="rotated" at={rotatedAt} format="date" absent="Never" />],
    ['Created by', <KeyPerson key="creator" person={createdBy} />],
    ['Seen by', <KeyPerson key="seen" person={secretSeenBy} />],
  ];
  return (
    <Surface>
      <DescriptionList items={facts} isDense />
    </Surface>
  );
}

/** Entries that are shown; the rest is counted. */
const maxAddresses = 3;

/** IP whitelist of a key. */
function Addresses({ entries }: { readonly entries: readonly string[] }) {
  if (entries.length === 0) return 'Any';
  const more = entries.length - maxAddresses;
  return (
    <>
      {entries.slice(0, maxAddresses).map((entry) => (
        <div key={entry}>
          <Code>{entry}</Code>
        </div>
      ))}
      {more > 0 && `and ${more} more`}
    </>
  );
}

/** A person who has to do with the key; null for operators and deleted accounts. */
function KeyPerson({ person }: { readonly person: ApiKeyDetail['createdBy'] }) {
  if (person === null) {
    return (
      <Text span inherit c="dimmed">
        An operator, or a deleted account
      </Text>
    );
  }
  return (
    <>
      {person.name}
      {!person.isMember && (
        <Text span inherit c="dimmed">
          , no longer on the team
        </Text>
      )}
    </>
  );
}
