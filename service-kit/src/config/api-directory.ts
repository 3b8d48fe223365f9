import { z } from 'zod';
import { readApi } from '../api/api.ts';
import { ApiDocumentError } from '../api/document.ts';

/** API_DIR: the API of the platform, with the documents of the directory that it names, if any. */
export const apiDirectory = z
  .string()
  .optional()
  .transform((directory, context) => {
    try {
      return readApi(directory);
    } catch (error) {
      if (!(error instanceof ApiDocumentError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
