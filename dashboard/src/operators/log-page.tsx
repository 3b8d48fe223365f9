import { Anchor, Code, Text } from '@mantine/core';
import { Link } from 'wouter';
import { unwrap } from '../api/client.ts';
import { usePages } from '../api/queries.ts';
import { LoadMore, Row, Rows } from '../components/rows.tsx';
import { Loaded } from '../components/states.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { consoleKey, operatorsApi } from './api.ts';
import classes from './operators.module.css';
import { RowTime } from './rows.tsx';

/** Everything that operators did and searched for. */
export default function LogPage() {
  const query = usePages(
    consoleKey('log'),
    (page, signal) => unwrap(operatorsApi.GET('/log', { params: { query: page }, signal })),
    ({ entries }) => entries,
  );
  return (
    <>
      <PageHeader
        title="Log of operators"
        description="Newest first. A hash chain keeps it: npm run admin -- audit verify."
      />
      <Loaded query={query}>
        {(entries) => (
          <Rows label="Log of operators" isStacked>
            {entries.map(({ row, at, words, operator, via, clientIp, businessId, details }) => (
              <Row key={row} end={<RowTime at={at} />}>
                <Text size="sm" className={classes.break ?? ''}>
                  {row}. <strong>{words}</strong> by {operator} ({via}
                  {clientIp !== null && `, ${clientIp}`})
                  {businessId !== null && (
                    <>
                      ,{' '}
                      <Anchor
                        component={Link}
                        href={`/businesses/${businessId}`}
                      >{`business ${businessId}`}</Anchor>
                    </>
                  )}
                </Text>
                {details !== '{}' && <Code className={classes.break ?? ''}>{details}</Code>}
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
      <LoadMore query={query} />
    </>
  );
}
