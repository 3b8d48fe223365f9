import { Button, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { saveFile } from './save-file.ts';
import { toast, toastError } from './toast.tsx';

/** Saves a CSV file that the API makes. */
export function ExportCsv({
  hint,
  fetchFile,
}: {
  /** Contents of the file. */
  readonly hint: string;
  /** Fetches it with `parseAs: 'blob'`. */
  readonly fetchFile: () => Promise<{ readonly data?: Blob; readonly response: Response }>;
}) {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const { data, response } = await fetchFile();
      const name = fileNameFrom(response.headers.get('Content-Disposition')) ?? 'export.csv';
      if (data !== undefined) saveFile(data, name);
      return name;
    },
    onSuccess: (name) => toast(`Saved as ${name}`),
    onError: toastError,
  });
  return (
    <Tooltip label={hint}>
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

/** The file name in a Content-Disposition header. */
function fileNameFrom(disposition: string | null): string | undefined {
  return /filename="([\w.-]+)"/.exec(disposition ?? '')?.[1];
}
