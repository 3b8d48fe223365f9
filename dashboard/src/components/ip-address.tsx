import { Code } from '@mantine/core';
import { Fragment } from 'react';

/** An IP address or a block of them. Broken behind colons only: elsewhere its parts would be misread. */
export function IpAddress({
  ip,
  absent = '–',
}: {
  readonly ip: string | null | undefined;
  readonly absent?: string;
}) {
  if (ip === null || ip === undefined || ip === '') return <>{absent}</>;
  return (
    <Code style={{ overflowWrap: 'normal' }}>
      {ip.split(/(?<=:)/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts repeat, and never change
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </Code>
  );
}
