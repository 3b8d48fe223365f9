import { z } from 'zod';
import { readApi } from '../api/api.ts';
import { ApiDocumentError } from '../api/document.ts';

/** API_DIR: the API of the platform, with the documents of the directory that it names, if any. */
export const apiDirectory = z
  .string()
  .optional()
  .transform((directory, context) => fromDocuments(context, () => readApi(directory)));

/** Makes something of documents; an error in one of them is an issue, with its file and line. */
export function fromDocuments<T>(context: z.RefinementCtx, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ApiDocumentError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
}
