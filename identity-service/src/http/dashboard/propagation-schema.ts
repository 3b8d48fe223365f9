import { z } from 'zod';

/** What a change that takes access away answers. */
export const propagation = z
  .enum(['confirmed', 'pending'])
  .describe('Whether every gateway knows; pending: they confirm within 30 seconds.')
  .meta({ id: 'Propagation' });
