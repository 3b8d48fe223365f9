import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';

/** How to change a key without an outage. */
export function SecondKeyLink({ apiKeyId }: { readonly apiKeyId: string }) {
  return (
    <Text size="sm">
      To change keys without an outage,{' '}
      <Anchor component={Link} href={secondKeyPath(apiKeyId)} inherit underline="always">
        make a second key with the same settings
      </Anchor>
      , let your program use that one, and delete this one when nothing uses it any more.
    </Text>
  );
}

/** Where a second key is made. */
export const secondKeyPath = (apiKeyId: string): string => `/developers/keys/new?from=${apiKeyId}`;
