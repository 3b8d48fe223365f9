import { Code, List, Text } from '@mantine/core';
import { Moment } from '../../parts/moment.tsx';
import { count, counted } from '../../parts/numbers.ts';
import type { Caller } from './applications.ts';

/** Entries that are shown; the others are counted. */
const maxShown = 5;

/** Addresses that a whitelist would shut out, with what they did lately. */
export function ShutOutList({ shutOut }: { readonly shutOut: readonly Caller[] }) {
  const more = shutOut.length - maxShown;
  return (
    <List size="sm" listStyleType="none" spacing={4}>
      {shutOut.slice(0, maxShown).map(({ address, successes, lastSuccessAt }) => (
        <List.Item key={address}>
          <Code>{address}</Code>{' '}
          <Text span inherit>
            {counted(successes, 'successful call')}, the last one <Moment at={lastSuccessAt} />
          </Text>
        </List.Item>
      ))}
      {more > 0 && <List.Item>and {count(more)} more</List.Item>}
    </List>
  );
}
