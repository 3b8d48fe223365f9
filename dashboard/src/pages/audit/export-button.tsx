import { Button, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { toast, toastError } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type AuditFilter, queryOf } from './audit-filter.ts';
import { fileNameIn, save } from './save-file.ts';

/** Saves what the filters ask for as a file for spreadsheets. */
export function ExportButton({ filter }: { readonly filter: AuditFilter }) {
  const { id: businessId } = useBusiness();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const params = { path: { businessId }, query: queryOf(filter) };
      const { data, response } = await api.GET('/businesses/{businessId}/audit-events.csv', {
        params,
        parseAs: 'blob',
      });
      const name = fileNameIn(response.headers.get('Content-Disposition')) ?? 'audit-log.csv';
      if (data !== undefined) save(data, name);
      return name;
    },
    onSuccess: (name) => toast(`Saved as ${name}`),
    onError: toastError,
  });
  return (
    <Tooltip label="With these filters; the newest 10,000 events at most">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={isPending}
        onClick={() => mutate()}
      >
        Export as CSV
      </Button>
    </Tooltip>
  );
}
