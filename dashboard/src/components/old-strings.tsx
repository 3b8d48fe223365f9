import { Anchor, Code, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type OldString, useOldStrings } from '../api/old-strings.ts';
import { pluralize } from './format.ts';
import { Panel } from './panel.tsx';
import { Timestamp } from './timestamp.tsx';

const ends: Readonly<Record<string, string>> = { rotated: 'rotated', deleted: 'deleted', revoked: 'revoked' };

/** "…abcd, rotated 29 Nov 2026, 14:02: 14 refused calls, the last from 203.0.113.7 3 minutes ago." */
function OldStringUse({
  oldString,
  isLinked,
}: {
  readonly oldString: OldString;
  readonly isLinked: boolean;
}) {
  const { lastFour, reason, endedAt, calls, lastCallAt, addresses, limitId } = oldString;
  const [last = ''] = addresses;
  const count = pluralize(calls, 'refused call');
  return (
    <>
      {lastFour === null ? 'Its tokens' : <Code>…{lastFour}</Code>}, {ends[reason] ?? 'ended'}{' '}
      <Timestamp at={endedAt} format="exact" />:{' '}
      {isLinked ? (
        <Anchor
          component={Link}
          href={`/settings/developers/requests?credential=${limitId}`}
          inherit
          underline="always"
        >
          {count}
        </Anchor>
      ) : (
        count
      )}
      , the last from <Code>{last}</Code> <Timestamp at={lastCallAt} />.
    </>
  );
}

/** Lists old strings. */
export function OldStringList({
  oldStrings,
  named = false,
  isLinked = true,
}: {
  readonly oldStrings: readonly OldString[];
  /** Whether each begins with the name of its key or app. */
  readonly named?: boolean;
  /** Whether the calls link to their requests; false where the page must not be left. */
  readonly isLinked?: boolean;
}) {
  return (
    <List size="sm" listStyleType="none" spacing="xs">
      {oldStrings.map((each) => (
        <List.Item key={`${each.limitId} ${each.endedAt}`}>
          {named && (
            <Text span inherit fw={600}>
              {each.caller.name ?? each.limitId}:{' '}
            </Text>
          )}
          <OldStringUse oldString={each} isLinked={isLinked} />
        </List.Item>
      ))}
    </List>
  );
}

/** A panel with the old strings that `includes` chooses; nothing where there are none. */
export function OldStringsPanel({
  title,
  description,
  includes,
  named = false,
}: {
  readonly title: string;
  readonly description: string;
  readonly includes: (oldString: OldString) => boolean;
  readonly named?: boolean;
}) {
  const { data = [] } = useOldStrings();
  const chosen = data.filter(includes);
  if (chosen.length === 0) return null;
  return (
    <Panel title={title} description={description}>
      <OldStringList oldStrings={chosen} named={named} />
    </Panel>
  );
}
