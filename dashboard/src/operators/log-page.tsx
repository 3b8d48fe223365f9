import { Anchor, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { unwrap } from '../api/client.ts';
import { usePages } from '../api/queries.ts';
import { LoadMore, Row, Rows } from '../components/rows.tsx';
import { Loaded, NoResults } from '../components/states.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { consoleKey, operatorsApi } from './api.ts';
import classes from './operators.module.css';
import { RowTime } from './rows.tsx';

const kinds = [
  { value: 'changes', label: 'Changes' },
  { value: 'looks', label: 'Views and searches' },
] as const;

interface LogFilter {
  readonly operator?: string;
  readonly businessId?: string;
  readonly kind?: (typeof kinds)[number]['value'];
}

/** The filter in the address of the page. */
function readFilter(parameters: URLSearchParams): LogFilter {
  const [operator, businessId] = [parameters.get('operator') ?? '', parameters.get('business') ?? ''];
  const kind = kinds.find(({ value }) => value === parameters.get('kind'))?.value;
  return {
    ...(operator !== '' && { operator }),
    ...(businessId !== '' && { businessId }),
    ...(kind !== undefined && { kind }),
  };
}

/** Everything that operators did and searched for. */
export default function LogPage() {
  const [parameters, setParameters] = useSearchParams();
  const filter = readFilter(parameters);
  const query = usePages(
    consoleKey('log', filter),
    (page, signal) => unwrap(operatorsApi.GET('/log', { params: { query: { ...filter, ...page } }, signal })),
    ({ entries }) => entries,
  );
  return (
    <>
      <PageHeader
        title="Log of operators"
        description="Newest first. A hash chain protects it: npm run admin -- audit verify."
      />
      <LogFilters filter={filter} onChange={setParameters} />
      <Loaded query={query}>
        {(entries) =>
          entries.length === 0 ? (
            <NoResults text="No entries match." onClear={() => setParameters({})} />
          ) : (
            <Rows label="Log of operators" isStacked>
              {entries.map((entry) => (
                <Row key={entry.row} end={<RowTime at={entry.at} />}>
                  <Text size="sm" fw={600} className={classes.break ?? ''}>
                    {entry.words}
                  </Text>
                  {entry.facts.map((fact) => (
                    <Text key={fact} size="sm" className={classes.break ?? ''}>
                      {fact}
                    </Text>
                  ))}
                  <Text size="sm" c="dimmed" className={classes.break ?? ''}>
                    {entry.businessId !== null && (
                      <>
                        <Anchor component={Link} href={`/businesses/${entry.businessId}`}>
                          {entry.businessName ?? `Business ${entry.businessId}`}
                        </Anchor>
                        {', '}
                      </>
                    )}
                    {[entry.operator, vias[entry.via] ?? entry.via, entry.clientIp, `entry ${entry.row}`]
                      .filter((part) => part !== null)
                      .join(', ')}
                  </Text>
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
      <LoadMore query={query} />
    </>
  );
}

const vias: Readonly<Record<string, string>> = { console: 'in the console', shell: 'in the shell' };

function LogFilters({
  filter,
  onChange,
}: {
  readonly filter: LogFilter;
  readonly onChange: (parameters: Record<string, string>) => void;
}) {
  const { operator = '', businessId = '', kind = '' } = filter;
  const [texts, setTexts] = useState({ operator, business: businessId });
  useEffect(() => setTexts({ operator, business: businessId }), [operator, businessId]);
  const set = (wanted: Readonly<Record<string, string>>) =>
    onChange(Object.fromEntries(Object.entries(wanted).filter(([, value]) => value.trim() !== '')));
  const width = { flex: '1 1 12rem', maw: { base: '100%', sm: '18rem' } };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        set({ ...texts, kind });
      }}
    >
      <Group gap="sm" mb="md" align="flex-end" role="group" aria-label="Filters">
        <TextInput
          {...width}
          label="Operator"
          placeholder="Email address or login"
          autoComplete="off"
          value={texts.operator}
          onChange={({ currentTarget }) => setTexts({ ...texts, operator: currentTarget.value })}
        />
        <TextInput
          {...width}
          label="Business number"
          inputMode="numeric"
          autoComplete="off"
          value={texts.business}
          onChange={({ currentTarget }) => setTexts({ ...texts, business: currentTarget.value })}
        />
        <Select
          {...width}
          label="Kind"
          placeholder="All"
          data={kinds}
          value={kind === '' ? null : kind}
          onChange={(next) => set({ ...texts, kind: next ?? '' })}
          clearable
        />
        <Button type="submit" variant="default">
          Filter
        </Button>
      </Group>
    </form>
  );
}
